import type { AppError, Warnings } from '@svc/kernel'
import type { Transaction, TransactionOptions } from '@svc/store/contract'
import type { BlockSteps } from '../blocks/steps.ts'
import type { Due } from '../contract/due.ts'
import type { Touched } from '../crossing/touched.ts'
import type { Alteration } from '../crossing/dependents.ts'
import type { Gathering } from './recompute.ts'
import type { Companion } from './cascade.ts'
import type { Resource } from '../model/resource.ts'
import type { Change } from './change.ts'

/** Runs work in a transaction, perhaps more than once; resolves with what the work answered once that is durable. */
export type Transact<T> = (
  work: (transaction: Transaction) => Promise<T>,
  options?: TransactOptions,
) => Promise<T>

/** What a transaction of writes is told beforehand. */
export interface TransactOptions extends TransactionOptions {
  /** What the present run of the work has warned of so far. */
  readonly warnings?: () => Warnings
}

/** What is known of a write that was refused. */
export type Refused = Pick<Change, 'domain' | 'runtime' | 'requestId' | 'depth' | 'origin'>

/** The one way in: every write of a record runs these steps. */
export interface Writer {
  /**
   * Runs one change in a transaction of its own, and tells the bus after the commit. What its body is refused with is answered, at
   * once where nothing had to be waited for; all else is thrown.
   */
  run(change: Change): AppError | Promise<AppError | undefined>
  /** The same by `transact`; `answer` makes the answer inside the transaction. */
  answer<T>(
    change: Change,
    transact: Transact<T>,
    answer: (change: Change, transaction: Transaction) => T | Promise<T>,
  ): AppError | Promise<T | AppError>
  /** Does what waits for others and may therefore not happen inside a transaction, before secrets are hashed. */
  check(change: Change): void | Promise<void>
  /** The first half of that: gathers what is wrong with the body. */
  gather(change: Change): void | Promise<void>
  /** The second half: ends a change of which something is wrong. */
  refuse(change: Change): void | Promise<void>
  /** The same after that. */
  ask(change: Change): void | Promise<void>
  /**
   * Holds, in the order of their keys, the records that changes are about and reach: transactions that write
   * the same ones, in whatever order, then wait for each other and cannot stand in each other's way.
   */
  lock(changes: readonly Change[], transaction: Transaction): Promise<void>
  /** Runs one change that was checked and asked for inside a transaction that the caller commits, who then announces it. */
  within(change: Change, transaction: Transaction): Promise<void>
  /** The same with all that comes before, for a change that begins inside a transaction. */
  inside(change: Change, transaction: Transaction): Promise<void>
  /** The steps that blocks add to links of a resource; undefined where none hears of them. */
  readonly linking: BlockSteps['linking']
  /** Tells the bus of a change that is committed. */
  announce(change: Change): void
  /**
   * Writes what an error has left to be written once its write was undone: in `transaction`, where the write alone was
   * undone, or in one of its own.
   */
  settle(error: unknown, refused: Refused, transaction?: Transaction): Promise<void>
  /** Does so for a transaction that `work` runs, should that fail. */
  settled<T>(refused: Refused, work: () => Promise<T>): Promise<T>
  /** Works out what an earlier write has left for later; answers the changes, which the caller commits and announces. */
  follow(due: Due, companion: Companion, transaction: Transaction): Promise<readonly Change[]>
  /** Whether records may follow one of the resource. */
  follows(resource: Resource): boolean
  /**
   * Has what depends on changes of one transaction follow once behind all of them, when that is asked for; undefined where nothing
   * may follow.
   */
  gathering(changes: readonly Change[]): Gathering | undefined
  /** Has records follow others that were stored, or are gone, behind the one way in: as quietly as that. Answers those. */
  followQuietly(
    altered: readonly Alteration[],
    transaction: Transaction,
    now: () => number,
  ): Promise<readonly Touched[]>
  /**
   * Does to what refers to an account that is about to be removed what its `onDelete` says; `causeOf` makes a change of a
   * resource, with the account's key.
   */
  releaseAccount(causeOf: (resource: Resource) => Change, transaction: Transaction): Promise<void>
}
