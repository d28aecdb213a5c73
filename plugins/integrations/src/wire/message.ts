import type { Value } from '@svc/store/contract'

/** A request as every attempt sends it, but for what authorizes it: a row can keep it. */
export interface Message {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** What was mapped, and the text that is sent of it; null where there is none. */
  readonly body: { readonly value: Value; readonly text: string } | null
}

/** A request as people are shown it: what authorizes it, and what a log must not hold, is not there. */
export interface ShownMessage {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Value
}

/** What is sent, and how the log tells it. */
export interface Built {
  readonly message: Message
  readonly shown: ShownMessage
}
