import type { Transaction } from '@svc/store/contract'

/** Who does a run: how long it may be kept waiting, and what else is written when it is over. */
export interface Doer {
  readonly signal: AbortSignal
  /** How long a token of the limiter is waited for here, in milliseconds. */
  patienceMs(): number
  /** What else has to be there for the end to count, first in its transaction; it throws where it is not. */
  begin?(transaction: Transaction): Promise<void>
  /** Gives back what `begin` took from whoever may send the same again: nothing is kept of a run that failed. */
  forget?(transaction: Transaction): Promise<void>
  /** Marks the durable work as done, in the transaction of the end. */
  complete(transaction: Transaction): Promise<void>
}
