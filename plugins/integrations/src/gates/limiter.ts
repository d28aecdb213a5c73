import type { Environment } from '@svc/kernel'
import type { Condition, Store, Table } from '@svc/store/contract'
import type { LimitPolicy } from '../policies.ts'
import { BUCKET } from '../tables/gates.ts'

/**
 * A bucket of tokens, told by the moment at which it is full again, in microseconds: one that is full holds `burstSize` of
 * them, and each one taken moves that moment by what it takes to drop another in (the generic cell rate algorithm of ITU-T I.371).
 */
export interface Limiter {
  /** Takes the next token if it is there within `patienceMs`; answers how long until then, in milliseconds, taken or not. */
  take(patienceMs: number): Promise<{ readonly isTaken: boolean; readonly waitMs: number }>
  /** How many tokens there are now. */
  available(): Promise<number>
}

/** The limiter of an integration: one for all servers where their transactions run side by side, else one for this process. */
export function createLimiter(
  integration: string,
  { requestsPerSecond, burstSize }: LimitPolicy,
  table: Table,
  { store, env }: { readonly store: Store; readonly env: Environment },
): Limiter {
  const every = 1_000_000 / requestsPerSecond
  const slack = every * (burstSize - 1)
  let fullAt = 0
  const now = () => env.now() * 1000
  const after = (known: number, patienceMs: number) => {
    const from = Math.max(known, now())
    const waitMs = Math.max(0, from - slack - now()) / 1000
    return { isTaken: waitMs <= patienceMs, waitMs, next: Math.round(from + every) }
  }
  const left = (known: number) =>
    Math.max(0, Math.min(burstSize, Math.floor((slack + every - Math.max(0, known - now())) / every + 1e-6)))
  if (!store.features.has('skipLocked'))
    return {
      async take(patienceMs) {
        const { isTaken, waitMs, next } = after(fullAt, patienceMs)
        if (isTaken) fullAt = next
        return { isTaken, waitMs }
      },
      available: async () => left(fullAt),
    }

  const where: Condition = { op: 'eq', column: BUCKET.integration, value: integration }
  const plan = { table, columns: [BUCKET.fullAt], where, order: [] }
  return {
    take: (patienceMs) =>
      store.transaction(async (transaction) => {
        const first = async () => {
          await transaction.insert({ table, values: { integration, fullAt: 0 }, onConflict: 'ignore' })
          return (await transaction.select({ ...plan, lock: true }))[0]
        }
        const row = (await transaction.select({ ...plan, lock: true }))[0] ?? (await first())
        const { isTaken, waitMs, next } = after(Number(row?.['fullAt'] ?? 0), patienceMs)
        if (isTaken) await transaction.update({ table, set: { fullAt: next }, where })
        return { isTaken, waitMs }
      }),
    async available() {
      const [row] = await store.select(plan)
      return left(Number(row?.['fullAt'] ?? 0))
    },
  }
}
