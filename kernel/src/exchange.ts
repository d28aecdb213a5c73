import type { Action } from './action.ts'
import type { CappedBody } from './body.ts'
import type { Caller } from './caller.ts'
import type { AppError } from './errors.ts'
import type { Inbound } from './inbound.ts'
import type { Answer, Reply } from './reply.ts'
import type { Warnings } from './warnings.ts'

/** One message on its way through the steps. */
export interface Exchange {
  readonly request: Inbound
  readonly action: Action
  /** When the message entered the pipeline, in milliseconds of a monotonic clock. */
  readonly startedAt: number
  caller: Caller
  /** Under whose username the message goes on record where it is not the caller's. */
  attributedTo: string | undefined
  body: unknown
  /** The body of an action with `rawBody`. */
  rawBody: CappedBody | undefined
  /** Sent with the answer, whatever it will be. */
  readonly headers: Record<string, string>
  readonly warnings: Warnings
  reply: Reply | undefined
  /** What the action refused the message with, in place of a reply. */
  refusal: AppError | undefined
  answer: Answer | undefined
  /** Calls `listener` once the answer is known, an error's too. */
  onAnswer(listener: (answer: Answer, durationMs: number) => void): void
}

/** Passes the message on by returning; refuses it by throwing an AppError. */
export type Step = (exchange: Exchange) => void | Promise<void>
