import { AppError, type Logger } from '@svc/kernel'
import type { Store, Transaction } from '@svc/store/contract'
import { LeaseLost, Postponed, Unrecoverable, type Work } from './contract.ts'
import type { JobMetrics } from './job-metrics.ts'
import type { Kind, OpenedJob } from './kinds.ts'
import type { Lease } from './leases.ts'
import type { Outcomes } from './outcomes.ts'

/** Tries in a row whose end no server lived to see: the job may be what brings them down. */
const MAX_LOST = 25
/** The pause before an end is written again that the store did not take, in milliseconds. */
const WRITE_AGAIN_MS = 1000

export interface RunParts {
  readonly store: Store
  readonly outcomes: Outcomes
  readonly metrics: JobMetrics
  readonly log: Logger
  readonly stopping: AbortSignal
  /** How often an end is tried to be written while the store is out of reach. */
  readonly patience: number
}

/** Why a run ends whose server stops: its job is free for others. */
export class Drained extends Error {}

/** A job that is under way on this server. */
export class Run {
  readonly lease: Lease
  readonly kind: Kind
  readonly #parts: RunParts
  readonly #control = new AbortController()
  /** Whether it committed its result itself. */
  #isDone = false
  /** What the store threw at its commit. */
  #outage: object | undefined

  constructor(lease: Lease, kind: Kind, parts: RunParts) {
    this.lease = lease
    this.kind = kind
    this.#parts = parts
  }

  /** Whether the lease is still needed. */
  get isOpen(): boolean {
    return !this.#isDone && !this.#control.signal.aborted
  }

  /** Ends it: what it still does counts no more. */
  end(reason: Error): void {
    this.#control.abort(reason)
  }

  /** Does the work and writes how it ended. Answers whether the job is free for others now. Never throws. */
  async perform(): Promise<'over' | 'free'> {
    const { metrics, log } = this.#parts
    const { id, kind, tries, settled } = this.lease
    if (tries - settled > 1) {
      log.warn({ job: id, kind, attempt: tries }, 'jobs.taken_over')
      metrics.takenOver.add({ kind })
    }
    let job: OpenedJob | undefined
    try {
      if (tries - settled > MAX_LOST) {
        throw new Unrecoverable(
          `it was begun ${tries - settled - 1} times, and no server lived to see its end`,
        )
      }
      job = this.kind.open(this.lease.payload)
      await this.#work(job)
      await this.#finish()
      metrics.done.add({ kind })
      return 'over'
    } catch (error) {
      return this.#fall(error, job).catch((err: unknown) => {
        log.error({ job: id, kind, err }, 'jobs.end_not_written')
        return 'over'
      })
    }
  }

  /** Waits for the work, its time or the end of its lease. */
  async #work(job: OpenedJob): Promise<void> {
    const { signal } = this.#control
    const { maxRunMs } = this.kind
    const timer = Number.isFinite(maxRunMs)
      ? setTimeout(() => this.end(new Error(`it took longer than ${maxRunMs} ms`)), maxRunMs)
      : undefined
    timer?.unref()
    const ended = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
    try {
      await Promise.race([job.run(this.#handed()), ended])
    } finally {
      clearTimeout(timer)
      ended.catch(() => undefined)
    }
  }

  #handed(): Work {
    const { store, outcomes, stopping } = this.#parts
    const { lease } = this
    const { signal } = this.#control
    const complete = async (transaction: Transaction) => {
      if (signal.aborted) throw new LeaseLost(lease.id)
      await outcomes.complete(transaction, lease)
      transaction.afterCommit(() => (this.#isDone = true))
    }
    return {
      id: lease.id,
      attempt: lease.tries,
      signal,
      stopping,
      complete,
      commit: async (work) => {
        try {
          return await store.transaction(async (transaction) => {
            const result = await work(transaction)
            // Last, as whoever puts a job behind this one holds its row after those of its own write.
            await complete(transaction)
            return result
          })
        } catch (error) {
          if (isOutage(error)) this.#outage = error
          throw error
        }
      },
    }
  }

  async #finish(): Promise<void> {
    if (this.#isDone) return
    const { store, outcomes } = this.#parts
    await this.#persist(() => store.transaction((transaction) => outcomes.complete(transaction, this.lease)))
  }

  async #fall(error: unknown, job: OpenedJob | undefined): Promise<'over' | 'free'> {
    const { log, metrics, outcomes, stopping } = this.#parts
    const { id, kind, tries: attempt } = this.lease
    const facts = { job: id, kind, attempt }
    if (this.#isDone) {
      log.error({ ...facts, err: error }, 'jobs.failed_after_commit')
      metrics.done.add({ kind })
      return 'over'
    }
    if (error instanceof LeaseLost) {
      log.warn(facts, 'jobs.lease_lost')
      return 'over'
    }
    if (error instanceof Drained || (stopping.aborted && error === stopping.reason)) return 'free'
    try {
      if ((this.#outage !== undefined && error === this.#outage) || error instanceof Postponed) {
        const ms = error instanceof Postponed ? error.ms : undefined
        await this.#persist(() => outcomes.postpone(this.lease, ms))
        if (error instanceof Postponed) log.info({ ...facts, reason: error.message }, 'jobs.postponed')
        else log.warn({ ...facts, err: error }, 'jobs.postponed')
        return 'over'
      }
      const nextAt = await this.#persist(() => this.#fail(error, job))
      metrics.failed.add({ kind })
      if (nextAt === null) log.error({ ...facts, err: error }, 'jobs.put_aside')
      else log.warn({ ...facts, err: error, next_at: nextAt }, 'jobs.failed')
    } catch (unwritten) {
      if (!(unwritten instanceof LeaseLost)) throw unwritten
      log.warn({ ...facts, err: error }, 'jobs.lease_lost')
    }
    return 'over'
  }

  /** What the kind writes of a failure must not keep the failure from being written. */
  async #fail(error: unknown, job: OpenedJob | undefined): Promise<string | null> {
    const { outcomes, log } = this.#parts
    try {
      return await outcomes.fail(this.lease, this.kind, error, job)
    } catch (err) {
      if (err instanceof LeaseLost || isOutage(err)) throw err
      log.error({ job: this.lease.id, kind: this.lease.kind, err }, 'jobs.failure_untold')
      return outcomes.fail(this.lease, this.kind, error)
    }
  }

  /** Writes an end; again and again while the store is out of reach, as the work would be done again without it. */
  async #persist<T>(write: () => Promise<T>): Promise<T> {
    const { patience, stopping } = this.#parts
    for (let left = patience; ; left -= 1) {
      try {
        return await write()
      } catch (error) {
        if (left <= 0 || stopping.aborted || !isOutage(error)) throw error
      }
      await new Promise((resolve) => void setTimeout(resolve, WRITE_AGAIN_MS).unref())
    }
  }
}

const isOutage = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'UNAVAILABLE'
