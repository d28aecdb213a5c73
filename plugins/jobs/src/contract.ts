import { brand, capability } from '@svc/kernel'
import type { Transaction } from '@svc/store/contract'
import type { z } from 'zod'

/** Work that survives a crash: put in the transaction of the write that it belongs to, run once a server is free. */
export { failedJobs } from './tables.ts'
export interface Jobs {
  /** Declares a kind of job, at set-up or later. Its work is done by servers that know it. A taken name is an error. */
  kind<S extends z.ZodType>(name: string, options: KindOptions<S>): JobKind<z.input<S>>
  /**
   * Has rows of one's own looked at that say what there is to do: in each period, when it is woken, and in a tick, on every
   * server that does work. `find` does what is there, or puts jobs for it, and answers whether anything was; `isTick` tells
   * that somebody asks for all that is due, so that what keeps a period of its own does not wait for that. One that fails is
   * logged and asked again in the next period.
   */
  source(name: string, find: (isTick: boolean) => Promise<boolean>): Source
}

/** Rows that are looked at. */
export interface Source {
  /** Has it looked at now, where this server does work: to be called once rows are committed. */
  wake(): void
  /** Ends it, and waits for a look that is under way. */
  end(): Promise<void>
}

export interface KindOptions<S extends z.ZodType> {
  /** Checked when a job is put and again before it runs; what is stored is its JSON text. */
  readonly payload: S
  /** The pauses before each further try; a job that fails after the last one is put aside. */
  readonly delaysMs: readonly number[]
  /** After so many milliseconds a run counts as failed, 600,000 unless said. `Infinity` for what ends by itself alone. */
  readonly maxRunMs?: number
  /** How many of this kind run at once on one server, beside `jobs.workers`, among which they count unless said. */
  readonly workers?: number
  /**
   * Jobs with the same text run one after the other, on any number of servers, in the order in which their transactions
   * were committed; of two that were open at once either may come first. Later ones wait while one waits for its next
   * try, and go on when it is done, cancelled or put aside. A run that lost its lease may still be ending by then.
   */
  order?(payload: z.output<S>): string
  /** Does the work. What it throws is a failure; `Unrecoverable`, `RetryLater` and `Postponed` say more. */
  run(payload: z.output<S>, work: Work): Promise<unknown>
  /** Writes what a failure means into the transaction that takes it down. It is not told of a server that died. */
  failed?(transaction: Transaction, payload: z.output<S>, failure: JobFailure): Promise<void>
}

/** What a run is handed besides its payload. */
export interface Work {
  /** The same for all tries: what a receiver tells doubles by. */
  readonly id: string
  /** Counts from 1, tries that were lost with their server included. */
  readonly attempt: number
  /** Aborted where the result would be refused: the lease is lost, the job cancelled, or its time is over. */
  readonly signal: AbortSignal
  /** Aborted when the server begins to stop: what never ends by itself ends now. */
  readonly stopping: AbortSignal
  /**
   * Runs `work` in one transaction with the mark that the job is done: both are there, once, or neither. Throws LeaseLost
   * where another server has taken over or the job was cancelled; then nothing was written. `work` may run more than
   * once and awaits nothing but its transaction.
   */
  commit<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** Marks the job as done inside a transaction of one's own, as its last statement. Throws LeaseLost. */
  complete(transaction: Transaction): Promise<void>
}

/** A failure, as it is told to its kind. */
export interface JobFailure {
  readonly id: string
  readonly attempt: number
  readonly error: unknown
  /** When it is tried again; null where it was put aside. */
  readonly nextAt: string | null
}

/** A kind of job, for whoever puts some. */
export interface JobKind<T> {
  /** Puts a job in `transaction`; false where one with the same `once` was ever put. Throws ZodError. */
  put(transaction: Transaction, payload: T, when?: PutOptions): Promise<boolean>
  /**
   * Takes away the jobs of a key, whatever their state, and answers how many. A run that is under way is told by its
   * signal and can commit nothing more. Marks of `once` stay.
   */
  cancel(transaction: Transaction, key: string): Promise<number>
  /** The jobs of a key that are not done, in order of putting. */
  inspect(key: string): Promise<readonly JobEntry[]>
  /** Gives what was put aside under a key all its tries again, now, and answers how many jobs that are. */
  retry(transaction: Transaction, key: string): Promise<number>
}

export interface PutOptions {
  /** The moment before which it does not run, as `2026-03-01T12:00:00.000Z`; now unless said. */
  readonly at?: string
  /** A mark that is unique for the kind and stays for good. */
  readonly once?: string
  /** What `cancel`, `inspect` and `retry` find it by; several jobs may share one. */
  readonly key?: string
}

export interface JobEntry {
  readonly id: string
  readonly status: 'pending' | 'running' | 'failed'
  /** The moment that it was put for, or that its next try was put off to. */
  readonly at: string
  readonly putAt: string
  /** How often it was begun so far. */
  readonly attempts: number
  /** Why its last try failed. */
  readonly error: { readonly code: string; readonly message: string } | null
}

/** Another server has taken the job over, it was cancelled, or its time is over: nothing of this run counts. */
export class LeaseLost extends Error {
  static {
    brand(this, 'LeaseLost')
  }

  constructor(id: string) {
    super(`nothing of this run of job ${id} counts: it was taken over or cancelled, or its time is over`)
  }
}

/** Thrown by a run whose job is put aside at once: no further try would end otherwise. */
export class Unrecoverable extends Error {
  static {
    brand(this, 'Unrecoverable')
  }
}

/** Thrown by a run that failed and knows that a try before `ms` milliseconds are over would be in vain. */
export class RetryLater extends Error {
  static {
    brand(this, 'RetryLater')
  }

  readonly ms: number

  constructor(message: string, ms: number, options?: ErrorOptions) {
    super(message, options)
    this.ms = ms
  }
}

/**
 * Thrown by a run that cannot begin yet, since what it needs is not there, such as a domain that is not in force: it is
 * put off by `ms` milliseconds, which is no failure and uses up no delay.
 */
export class Postponed extends Error {
  static {
    brand(this, 'Postponed')
  }

  readonly ms: number

  constructor(message: string, ms: number, options?: ErrorOptions) {
    super(message, options)
    this.ms = ms
  }
}

/** The server's durable work. */
export const JobsCapability = capability<Jobs>('jobs')
