import type { Trigger } from '@svc/automation/contract'
import type { Data, Expression, Model } from '@svc/domain/contract'
import type { Close } from '@svc/kernel'
import type { EvaluationContext } from '@svc/expression/contract'
import type { Row, Table, Transaction } from '@svc/store/contract'

/** What a wait listens to, compiled. Its condition is asked once the wait is over, and no part of this. */
export interface EventWait {
  readonly trigger: Trigger
  /** Which of these events end the wait; all unless said. */
  readonly filter: Expression | undefined
  /** The same with variables as they are written. */
  readonly written?: string
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
  /** How far the line had heard when it came to rest, in the words of `Waits.now`; null: up to now. */
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

/** How a rest ended; `heard` is how far the line has heard with that, null where it has nothing to hear. */
export type Ending =
  /** `depth` is that of the write that made the event. */
  | { readonly by: 'event'; readonly event: HeardEvent; readonly heard: string; readonly depth: number }
  | { readonly by: 'timeout'; readonly heard: string | null }

/** What writes of an instance's steps say as `origin`, so that its waits do not hear them. */
export const originOf = (instance: string): string => `workflow ${instance}`

/** The ears of a domain's waits for events. What takes a transaction happens in one that whoever asks commits. */
export interface Waits {
  /** Tables of its own. */
  readonly tables: Readonly<Record<string, Table>>
  /** Begins to end rests by their events once the model is in force; what it returns ends that. */
  open(data: Data): Close
  /**
   * How far the ledger of events reaches: a line that is told so hears what is committed after it, and nothing that was
   * written in this transaction before. It writes a mark: to be asked for lines alone that come to a wait.
   */
  now(transaction: Transaction): Promise<string>
  /**
   * A line comes to rest: for all that came since `heard`, and from now on, its event is looked for. While it rests the ledger
   * keeps for it what this asks for, and `LINE.heard` may be null.
   */
  rest(transaction: Transaction, resting: Resting): Promise<void>
  /** Finds whatever is committed by now: to be awaited before the transaction in which a time is over. */
  catchUp(): Promise<void>
  /**
   * What ends a rest whose time is over: the first event that was committed before its deadline and that its filter takes,
   * however late it is looked at, or the timeout.
   */
  atDeadline(transaction: Transaction, resting: Resting): Promise<Ending>
  /** How far a line has heard that had heard so far, and has rested until a moment without waiting for an event. */
  heardBy(transaction: Transaction, moment: string, heard: string | null): Promise<string>
  /** These lines do not rest any more, whatever ended it. */
  leave(transaction: Transaction, lines: readonly string[]): Promise<void>
}

/** A text of a workflow that waits for events. */
export interface HearingText {
  readonly workflow: string
  readonly version: number
  readonly resources: ReadonlySet<string>
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
  /** The waits of all texts, in force or kept by an instance: for their events somebody may wait. */
  awaited(transaction: Transaction): Promise<readonly EventWait[]>
  /** Texts that are kept, with the names of the resources whose events their lines may come to wait for. */
  hearing(transaction: Transaction): Promise<readonly HearingText[]>
}

/** Makes the ears of a domain. */
export type OpenWaits = (model: Model, lines: Lines) => Waits
