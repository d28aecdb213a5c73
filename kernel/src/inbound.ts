import type { Arrival } from './arrival.ts'
import type { RawBody, SentBody } from './body.ts'
import type { Caller } from './caller.ts'

/** A message for one action, as a transport brought it. */
export interface Inbound {
  /** Names the request in answers and logs. */
  readonly id: string
  readonly transport: string
  /** The address that the message came from; '' where there is none. */
  readonly remote: string
  /** What it came in with; absent where it came alone. */
  readonly arrival?: Arrival | undefined
  readonly params: Readonly<Record<string, string>>
  /** Parameters by name, the last value of each. */
  readonly query: Readonly<Record<string, string>>
  /** A piece of metadata by its lower-case name, for example `authorization`. */
  readonly meta: (name: string) => string | undefined
  /** All pieces of metadata, by lower-case names; absent where a transport has none. */
  metas?(): Readonly<Record<string, string>>
  /** Reads the body, or throws 400, 413 or 415; absent where the message has none. */
  readonly read?: () => unknown
  /**
   * Judges what is announced of a body that `accepted` is said of, and hands it out before a byte is read; undefined where
   * the message has none. Throws 400, 413 or 415.
   */
  open?(accepted: RawBody): SentBody | undefined
  readonly signal: AbortSignal
  /** Told who the caller turned out to be, just before the answer is. */
  identified?(caller: Caller): void
}
