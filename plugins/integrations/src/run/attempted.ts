import type { Caller } from '@svc/kernel'
import type { Transaction, Value } from '@svc/store/contract'

/** Why an attempt failed, as `retryOn` and breakers ask it. */
export type FailureKind =
  /** The other side was not reached, or what it said is nothing that the protocol knows. */
  | 'network'
  | 'timeout'
  /** It answered with a status that is no success. */
  | 'status'
  /** It answered with success, and `success` says otherwise. */
  | 'condition'
  /** What it answered cannot be taken: too much of it, or nothing that can be read. */
  | 'answer'
  /** The address is one that may not be connected to. */
  | 'refused'
  /** The attempt was given up on this side. */
  | 'cancelled'

/** What failed. */
export interface AttemptFailure {
  readonly kind: FailureKind
  readonly message: string
  /** Whether the other side may have got it. */
  readonly mayHaveArrived: boolean
  /** The status of HTTP that it counts as, where what was answered is none. */
  readonly counts?: number
  /** How long it wants to be left alone, in milliseconds. */
  readonly afterMs?: number | undefined
}

/** Bytes that an attempt brought, which lie where they are to lie, and that nobody knows of yet. */
export interface Brought {
  /** The id of the item of the library that they become. */
  readonly id: string
  /** Makes them one, from the commit on. */
  enter(transaction: Transaction, as: Caller): Promise<void>
  /** Takes them away again. */
  discard(): Promise<void>
}

/** What came of one attempt. */
export interface Attempted {
  readonly status: number | null
  readonly headers: Readonly<Record<string, string>>
  /** JSON as its value, other bodies as text; null where there is none. */
  readonly response: Value
  /** What tables have in its place, where nobody but whoever asked may have it. */
  readonly told?: Value
  readonly durationMs: number
  readonly brought?: Brought | undefined
  /** What was done must not be done again, whatever becomes of what it brought. */
  readonly isOnce?: true
  /** Undefined where it went well. */
  readonly failure: AttemptFailure | undefined
}
