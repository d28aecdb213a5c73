import type { Readable } from 'node:stream'
import type { Inbound } from '@svc/kernel'

/** One HTTP request, whether or not a socket is behind it. */
export interface Message {
  readonly method: string
  /** Path and query in origin form (RFC 9112, section 3.2.1), without dot segments. Throws BAD_REQUEST. */
  readonly target: string
  /** A piece of metadata by its lower-case name. */
  readonly meta: Inbound['meta']
  /** The address of whoever is at the other end of the connection. */
  readonly peer: string | undefined
  /** The body's bytes; undefined where the request has no body. */
  body(): Readable | undefined
  /** Calls `listener` once the client has gone without its answer. */
  onGone(listener: () => void): void
  /** Makes the connection end only after the client found time to read its answer, though it still sends. */
  linger(): void
}

/** Takes a response to the other end of the connection. Throws, and takes nothing, where HTTP has no room for it. */
export type Send = (response: Outgoing) => void

/** A response on its way out. */
export interface Outgoing {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: readonly string[]
  /** Undefined where the message ends with its headers. */
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | undefined
  /** Called when a streamed body breaks off. */
  readonly onBroken?: ((error: unknown) => void) | undefined
}
