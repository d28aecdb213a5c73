import type { Trigger } from '@svc/automation/contract'
import type { Change, Expression, Model } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import type { Row, Table, Transaction } from '@svc/store/contract'

/** What a wait listens to, compiled. Its condition is asked once the wait is over, and no part of this. */
export interface EventWait {
  readonly trigger: Trigger
  /** Which of these events end the wait; all unless said. */
  readonly filter: Expression | undefined
}

/** An event of a record as a wait hears it: what `$event` and `$steps.<wait>.event` hold. */
export interface HeardEvent {
  readonly record: Row | null
  readonly previous: Row | null
  readonly transition: string | null
}

/** A line that rests at a wait for an event. */
export interface Resting {
  readonly domain: string
  readonly instance: string
  readonly workflow: string
  readonly line: string
  /** Which rest of the line it is: an ending that was found for an earlier one comes too late. */
  readonly turn: number
  readonly step: string
  readonly wait: EventWait
  /** How far the line had heard when it came to rest, in the words of `Waits.now`. */
  readonly heard: string | null
  /** The moment up to which it rests; null: without end. */
  readonly until: string | null
  /**
   * What the filter is evaluated with: the event's record as bare names, `previous` and `$transition`, and what steps
   * have. Without an event it holds what steps have alone: what a side of a comparison is worth that does not speak of
   * the event. It reads by `transaction`.
   */
  context(transaction: Transaction, event?: HeardEvent): Promise<EvaluationContext>
}

/** How a rest ended. */
export type Ending =
  /** `heard` is how far the line has heard with this event, and `depth` that of the write that made it. */
  | { readonly by: 'event'; readonly event: HeardEvent; readonly heard: string; readonly depth: number }
  /** `heard` is how far the line has heard when its time is over. */
  | { readonly by: 'timeout'; readonly heard: string | null }

/** The ears of a domain's waits for events. All of it happens in transactions that whoever asks commits. */
export interface Waits {
  /** Tables of its own. */
  readonly tables: Readonly<Record<string, Table>>
  /**
   * How far the ledger of events reaches: a line that is told so hears what comes after it. In the transaction of a write
   * that starts an instance, `change` is that write, whose own events the instance does not hear.
   */
  now(transaction: Transaction, change?: Change): Promise<string | null>
  /** A line comes to rest: from now on, and for all since it last rested, its event is looked for. */
  rest(transaction: Transaction, resting: Resting): Promise<void>
  /**
   * The event that ended a rest before its deadline, which is over now; undefined where there is none, and the timeout
   * has come. What was committed before the deadline wins, however late it is looked at.
   */
  beforeDeadline(transaction: Transaction, resting: Resting): Promise<Ending | undefined>
  /** These lines do not rest any more, whatever ended it. */
  leave(transaction: Transaction, lines: readonly string[]): Promise<void>
}

/** The lines of a domain, for whoever finds out that a rest is over. */
export interface Lines {
  /** A line that rests; undefined where it does not, or no longer at this turn. */
  resting(transaction: Transaction, line: string, turn?: number): Promise<Resting | undefined>
  /**
   * Ends a rest: the line goes on in this transaction. False where it is over already, which is no fault: whoever comes
   * first decides. It holds the instance until the transaction ends.
   */
  wake(transaction: Transaction, line: string, turn: number, ending: Ending): Promise<boolean>
  /** The triggers of waits that any text names, in force or kept by an instance: events that somebody may wait for. */
  awaited(transaction: Transaction): Promise<readonly Trigger[]>
}

/** Makes the ears of a domain. */
export type OpenWaits = (model: Model, lines: Lines) => Waits
