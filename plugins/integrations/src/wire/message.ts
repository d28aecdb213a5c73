import type { Value } from '@svc/store/contract'

/** A request as every attempt sends it, but for what authorizes it: a row can keep it. */
export interface Message {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** What was mapped, and the text that is sent of it; null where there is none. */
  readonly body: { readonly value: Value; readonly text: string } | null
}
