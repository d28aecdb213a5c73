import type { Value } from '@svc/store/contract'

/** A request as it is sent, but for what authorizes it. */
export interface Message {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** What was mapped, and its bytes; undefined where there is none. */
  readonly body: { readonly value: Value; readonly bytes: Uint8Array } | undefined
}
