import { brand } from '@svc/kernel'

/** How a request can fail, and whether the same one may succeed later. */
const MAY_SUCCEED_LATER = {
  /** The address, or one of a name's addresses, is none that may be connected to; nothing was sent. */
  ADDRESS_REFUSED: false,
  /** The url, the method or a header is none; nothing was sent. */
  INVALID_REQUEST: false,
  /** The name has no address, or nobody answers there. */
  CONNECTION_FAILED: true,
  /** The certificate does not fit the name, or nobody who is trusted stands for it. */
  TLS_FAILED: false,
  /** It took longer than it was given. */
  TIMEOUT: true,
  /** The answer has more headers, or a longer body, than is taken. */
  TOO_LARGE: false,
  /** What came back is no answer of HTTP, or is packed in a way that nobody can open. */
  INVALID_RESPONSE: false,
  /** Whoever asked gave it up, or the server stops. */
  CANCELLED: true,
} as const

/** The kind of a failure. */
export type OutboundFailure = keyof typeof MAY_SUCCEED_LATER

/** A request that brought no answer. The message names the host alone: no path, header, or secret. */
export class OutboundError extends Error {
  static {
    brand(this, 'OutboundError')
  }

  override readonly name = 'OutboundError'
  readonly code: OutboundFailure
  /** Whether another try may help. */
  readonly mayRetry: boolean
  /** Whether the other side may have got the request. */
  readonly mayHaveArrived: boolean

  constructor(
    code: OutboundFailure,
    message: string,
    more: { cause?: unknown; mayHaveArrived?: boolean } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.code = code
    this.mayRetry = MAY_SUCCEED_LATER[code]
    this.mayHaveArrived = more.mayHaveArrived ?? false
  }
}
