import { errors } from '@svc/kernel'
import { authErrors } from './errors.ts'
import type { Gate } from './gate.ts'
import type { HashCost } from './hash-cost.ts'

/** How long the secrets of one request may be expected to take, in milliseconds: half of the time that a request has. */
const PLANNED_MS = 15_000
/** How long they may take at the most, where the server turns out to have more to do than it seemed. */
const LIMIT_MS = 25_000

export interface SecretsOptions {
  readonly gate: Pick<Gate, 'back' | 'backSlots'>
  readonly cost: HashCost
  readonly hash: (secret: string) => Promise<string>
}

/** Hashes the secrets of one request; `signal` says that nobody waits for them any more. */
export type HashSecrets = (secrets: readonly string[], signal: AbortSignal) => Promise<readonly string[]>

/**
 * Hashes secrets in the back lane. A request has no more places there than can run at once, so that requests take turns
 * and one that ends leaves nothing behind. What cannot be done in time is refused before any work is: for good
 * (BULK_LIMIT_EXCEEDED) or for now (UNAVAILABLE).
 */
export function createSecrets({ gate, cost, hash }: SecretsOptions): HashSecrets {
  const { backSlots } = gate
  const jobs = new Set<{ left: number }>()

  const admit = (count: number): void => {
    const most = Math.floor((PLANNED_MS / cost.least) * backSlots)
    if (count > most) throw tooMany(count, most)
    const ahead = [...jobs].reduce((sum, { left }) => sum + left, 0)
    const expectedMs = ((ahead + count) * cost.usual) / backSlots
    if (expectedMs > PLANNED_MS) throw tooBusy((expectedMs - PLANNED_MS) / 1000)
  }

  return async (secrets, signal) => {
    admit(secrets.length)
    const job = { left: secrets.length }
    jobs.add(job)
    const deadline = performance.now() + LIMIT_MS
    const hashes: string[] = []
    let next = 0
    let isOver = false
    const one = (secret: string) => () => {
      if (isOver || signal.aborted || performance.now() > deadline) throw tooLate()
      return hash(secret)
    }
    const lane = async (): Promise<void> => {
      while (next < secrets.length) {
        const at = next++
        hashes[at] = await gate.back(one(secrets[at] ?? ''))
        job.left -= 1
      }
    }
    try {
      await Promise.all(Array.from({ length: backSlots }, lane))
      return hashes
    } finally {
      isOver = true
      jobs.delete(job)
    }
  }
}

const tooMany = (count: number, most: number) =>
  authErrors.BULK_LIMIT_EXCEEDED({
    message: `${count} passwords take longer to hash than a request may last: send at most ${most} in one request`,
  })

const tooBusy = (seconds: number) => {
  const wait = String(Math.max(1, Math.ceil(seconds)))
  return errors.UNAVAILABLE({
    message: `The passwords of other requests are being hashed: try again in ${wait} s, or send fewer at once`,
    headers: { 'Retry-After': wait },
  })
}

const tooLate = () =>
  errors.UNAVAILABLE({ message: 'The passwords could not be hashed in time: send fewer at once' })
