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

/** What becomes of a message: the broker forgets it, or is told that nobody takes it. */
export type Verdict = 'done' | 'rejected'

/** Takes one message; it does not come back before that is settled. `signal` gives it up where the message comes again. */
export type Take = (delivered: Delivered, signal: AbortSignal) => Promise<Verdict>

/** What consumes messages, as it is written. */
export interface Consumer {
  /** What it listens to: another text is another one. */
  readonly text: string
  /** How many of it are at work at once, on all servers together. */
  readonly count: number
  readonly format: 'json' | 'text'
  readonly dedupe: Expression | undefined
  /**
   * Consumes until `ending` is aborted or the connection is over; `begun` is told once it listens. Each message is taken after the
   * one before, and acknowledged afterwards alone. Throws where it cannot begin.
   */
  consume(take: Take, begun: () => void, ending: AbortSignal): Promise<void>
}
