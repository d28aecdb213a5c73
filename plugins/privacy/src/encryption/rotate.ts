import type { Jobs } from '@svc/jobs/contract'
import { RetryLater } from '@svc/jobs/contract'
import { type Close, type Logger, repeat } from '@svc/kernel'
import { z } from 'zod'
import { type Encryption, fetchKeys, type Means } from './encryption.ts'
import { addKey } from './keep.ts'
import { rewriteOlder } from './rewrite.ts'

/** A key is used so long after it is made, in milliseconds: by then every server has fetched it. */
export const GRACE_MS = 60_000
/** How often a server looks for keys that others have made, in milliseconds. */
const FETCH_MS = 10_000
/** The pauses before each further try to rewrite values, in milliseconds. */
const DELAYS_MS = [1000, 10_000, 60_000, ...Array.from({ length: 100 }, () => 600_000)]

/** Brings values under the keys of their time, as long as a domain lives. */
export interface Rotation {
  /** Begins that for the domain of a model that has come into force. */
  open(encryption: Encryption): Close
  /** The domains that live on this server. */
  readonly living: ReadonlyMap<string, Encryption>
}

/** Makes what rotates keys. */
export function createRotation(jobs: Jobs, means: Means, log: Logger): Rotation {
  const living = new Map<string, Encryption>()
  const put = new Set<string>()
  const rewrite = jobs.kind('privacy.rewrite', {
    payload: z.strictObject({ domain: z.string(), number: z.int() }),
    delaysMs: DELAYS_MS,
    maxRunMs: Infinity,
    workers: 1,
    order: ({ domain }) => domain,
    async run({ domain, number }, { signal, stopping }) {
      const found = living.get(domain)
      if (found === undefined) throw new RetryLater(`'${domain}' is not in force here`, 10_000)
      await fetchKeys(found, means)
      if (means.rings.present(domain).number < number)
        throw new RetryLater('the key is not in use yet', GRACE_MS)
      const isOver = () => signal.aborted || stopping.aborted
      const records = await rewriteOlder(found.model, number, means.store, isOver)
      if (isOver()) throw new RetryLater('the server is stopping', 1000)
      log.info({ domain, number, records }, 'privacy.values_rewritten')
    },
  })

  /** Makes the next key where its time has come, and has older values rewritten. */
  async function beat(encryption: Encryption): Promise<boolean> {
    const { model, rotationMs, wrapping } = encryption
    const domain = model.name
    await fetchKeys(encryption, means)
    const newest = means.rings.get(domain)?.data.at(-1)
    if (newest === undefined) return false
    if (rotationMs !== undefined && means.now() - newest.createdAt >= rotationMs) {
      const key = { domain, purpose: 'data', number: newest.number + 1 } as const
      const isMade = await addKey(key, wrapping.first, means, GRACE_MS)
      await fetchKeys(encryption, means)
      if (isMade) log.info({ domain, number: key.number }, 'privacy.key_made')
    }
    const { number, activeFrom } = means.rings.present(domain)
    const once = `${domain} ${number}`
    // A write that began with the key before, and a server whose clock is behind, are through with it by then.
    if (number === 1 || means.now() - activeFrom < GRACE_MS || put.has(once)) return false
    await means.store.transaction((transaction) => rewrite.put(transaction, { domain, number }, { once }))
    put.add(once)
    return true
  }

  return {
    living,
    open(encryption) {
      const { name } = encryption.model
      living.set(name, encryption)
      const source = jobs.source(`keys of ${name}`, () => beat(encryption))
      const failure = 'privacy.keys_not_fetched'
      const fetching = repeat(() => fetchKeys(encryption, means), { everyMs: FETCH_MS, log, failure })
      return async () => {
        if (living.get(name) === encryption) living.delete(name)
        await Promise.all([source.end(), fetching()])
      }
    },
  }
}
