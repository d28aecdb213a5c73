import type { Environment } from '@svc/kernel'
import { createUuidV7 } from '@svc/kernel'
import type { Store } from '@svc/store/contract'
import { rowWith } from '../setting.ts'
import { BEAT, beatTable as table } from '../tables/states.ts'

/** Whose turn it is to look at the schedules of a domain, among the servers of a database. */
export interface Heart {
  /** Whether this server beats now: where nobody has for a whole heartbeat. Of several that ask at once one does. */
  beats(domain: string): Promise<boolean>
}

/** What was seen of the last beat of a domain, and since when, by a clock that nobody sets. */
interface Seen {
  readonly token: string
  readonly since: number
}

/** A little less than a heartbeat counts as one: timers are not exact. */
const NEARLY = 0.95

/**
 * Makes the heart of one server. It goes by how long this server has seen no beat of another one, so that clocks that differ,
 * or jump, neither stop it nor let it beat twice.
 */
export async function createHeart(store: Store, env: Environment, heartbeatMs: number): Promise<Heart> {
  await store.ensure([table])
  const newToken = createUuidV7(env)
  const seen = new Map<string, Seen>()

  const look = async (domain: string): Promise<string> => {
    const [row] = await store.select({
      table,
      columns: [BEAT.token],
      where: rowWith(table, { domain }),
      order: [],
      limit: 1,
    })
    return String(row?.['token'] ?? '')
  }
  const take = async (domain: string, before: string): Promise<boolean> => {
    const token = newToken()
    const count = await store.transaction(async (transaction) => {
      if (before === '') return transaction.insert({ table, values: { domain, token }, onConflict: 'ignore' })
      return (
        await transaction.update({ table, set: { token }, where: rowWith(table, { domain, token: before }) })
      ).count
    })
    if (count === 1) seen.set(domain, { token, since: performance.now() })
    return count === 1
  }

  return {
    async beats(domain) {
      const last = seen.get(domain)
      const now = performance.now()
      const isOver = last === undefined || now - last.since >= heartbeatMs * NEARLY
      const token = await look(domain)
      if (last?.token !== token) {
        seen.set(domain, { token, since: now })
        // A server that starts beats at once: what was due while none ran has waited long enough.
        return last === undefined && take(domain, token)
      }
      return isOver && take(domain, token)
    },
  }
}
