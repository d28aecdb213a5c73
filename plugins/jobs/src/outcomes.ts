import { AppError, type Environment } from '@svc/kernel'
import type { Store, Transaction, Value } from '@svc/store/contract'
import { LeaseLost, RetryLater, Unrecoverable } from './contract.ts'
import type { Kind, OpenedJob } from './kinds.ts'
import { bringForward } from './lanes.ts'
import { held, type Lease } from './leases.ts'
import { JOB, jobs } from './tables.ts'

/** The longest pause after the store was out of reach, in milliseconds; the first is a second. */
const LONGEST_PAUSE_MS = 60_000
/** The most characters that are kept of an error's message. */
const MAX_MESSAGE = 1000

/** Told when a job of a kind can be claimed from a moment on. */
export type Wake = (kind: string, at: string) => void

/** How jobs end. */
export interface Outcomes {
  /** Takes a job away that is done. Throws LeaseLost. */
  complete(transaction: Transaction, lease: Lease): Promise<void>
  /** Writes a failure: another try later, or none. Answers when that is, and null where the job was put aside. Throws LeaseLost. */
  fail(lease: Lease, kind: Kind, error: unknown, job?: OpenedJob): Promise<string | null>
  /** Puts a job off that did not fail, by `ms` or by longer with each try. Throws LeaseLost. */
  postpone(lease: Lease, ms?: number): Promise<void>
}

/** Makes the ends of jobs. */
export function createOutcomes(store: Store, env: Environment, wake: Wake): Outcomes {
  const later = (ms: number) => new Date(env.now() + ms).toISOString()

  const put = async (transaction: Transaction, lease: Lease, set: Record<string, Value>) => {
    const settled = { token: null, settled: lease.tries, ...set }
    const { count } = await transaction.update({ table: jobs, set: settled, where: held(lease) })
    if (count === 0) throw new LeaseLost(lease.id)
  }

  const advance = async (transaction: Transaction, { lane, kind }: Lease) => {
    if (lane === null) return
    const at = await bringForward(transaction, lane)
    if (at !== undefined) transaction.afterCommit(() => wake(kind, at))
  }

  const putOff = async (transaction: Transaction, lease: Lease, ms: number, more: Record<string, Value>) => {
    const at = later(ms)
    await put(transaction, lease, { at, due: at, ...more })
    transaction.afterCommit(() => wake(lease.kind, at))
    return at
  }

  /** Whoever puts a job behind this one holds it until that is durable: it is waited for, or would not be found. */
  const putAside = async (transaction: Transaction, lease: Lease, more: Record<string, Value>) => {
    if (lease.lane !== null) {
      await transaction.select({ table: jobs, columns: [JOB.id], where: held(lease), order: [], lock: true })
    }
    await put(transaction, lease, { due: null, lane: null, place: null, failed_at: later(0), ...more })
    await advance(transaction, lease)
  }

  return {
    async complete(transaction, lease) {
      if ((await transaction.remove({ table: jobs, where: held(lease) })) === 0) {
        throw new LeaseLost(lease.id)
      }
      await advance(transaction, lease)
    },
    fail(lease, kind, error, job) {
      const delay = delayOf(lease, kind, error)
      const more = { failures: lease.failures + 1, error: shown(error) }
      return store.transaction(async (transaction) => {
        const nextAt = delay === undefined ? null : await putOff(transaction, lease, delay, more)
        if (nextAt === null) await putAside(transaction, lease, more)
        await job?.failed?.(transaction, { id: lease.id, attempt: lease.tries, error, nextAt })
        return nextAt
      })
    },
    async postpone(lease, ms) {
      const pause = ms ?? Math.min(LONGEST_PAUSE_MS, 1000 * 2 ** (lease.tries - lease.failures - 1))
      await store.transaction((transaction) => putOff(transaction, lease, pause, {}))
    },
  }
}

/** The pause before the next try; undefined where there is none. */
function delayOf({ failures }: Lease, { delaysMs }: Kind, error: unknown): number | undefined {
  const delay = delaysMs[failures]
  if (delay === undefined || error instanceof Unrecoverable) return undefined
  return error instanceof RetryLater ? Math.max(delay, error.ms) : delay
}

/** An error as it is kept. */
function shown(error: unknown): Value {
  const code = error instanceof AppError ? error.code : error instanceof Error ? error.name : 'Error'
  const message = error instanceof Error ? error.message : String(error)
  return { code, message: message.slice(0, MAX_MESSAGE).toWellFormed().replaceAll('\0', '') }
}
