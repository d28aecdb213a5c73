import type { Expression } from '@svc/domain/contract'

/** A message that a broker has delivered. */
export interface Delivered {
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
  /** What mappings find besides, such as its topic. */
  readonly names: Readonly<Record<string, string>>
  /** What the other side tells it by. */
  readonly id: string | undefined
}

/** How many messages take effect together at most: all who write to the same records wait for them. */
export const MOST_AT_ONCE = 16

/** What becomes of a message: the broker forgets it, or is told that nobody takes it. */
export type Verdict = 'done' | 'rejected'

/**
 * Takes the first of the messages that wait, and those behind it that can take effect together with it; it does not come back before
 * that is settled, and answers what becomes of as many as it has taken: one or more. `signal` gives them up where they come again.
 */
export type Take = (waiting: readonly Delivered[], signal: AbortSignal) => Promise<readonly Verdict[]>

/** What consumes messages, as it is written. */
export interface Consumer {
  /** What it listens to: another text is another one. */
  readonly text: string
  /** How many of it are at work at once, on all servers together. */
  readonly count: number
  readonly format: 'json' | 'text'
  readonly dedupe: Expression | undefined
  /** Whether messages may take effect together: what one of them looks for may be what the one before it has written. */
  readonly isGathered: boolean
  /**
   * Consumes until `ending` is aborted or the connection is over; `begun` is told once it listens. Each message is taken after the
   * one before, and acknowledged once it has taken effect alone. Throws where it cannot begin.
   */
  consume(take: Take, begun: () => void, ending: AbortSignal): Promise<void>
}
