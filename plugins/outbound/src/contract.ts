import type { LookupFunction, Socket } from 'node:net'
import { capability } from '@svc/kernel'
import type { KeptSecrets } from './kept-secrets.ts'

export { OutboundError, type OutboundFailure } from './failure.ts'
export { MAX_HEADER_BYTES } from './limits.ts'
export { createKeptSecrets, type KeptSecrets, type SecretKeys } from './kept-secrets.ts'
export { isWithin, readAddresses } from './ranges.ts'
export { retryAfter } from './retry-after.ts'
export { standardSignature } from './signature.ts'
export { isUrl } from './url.ts'

/**
 * The one client for all that a definition makes the server send. Addresses are judged before anything is connected to,
 * and every answer has its bounds.
 */
export interface Outbound {
  /**
   * What is wrong with a url as it is written; undefined where nothing is, which leaves its name to be judged when it is
   * connected to. `isConfidential`: credentials will go with it, which need TLS.
   */
  judge(url: string, terms?: { readonly isConfidential?: boolean }): UrlFault | undefined
  /** Sends one request. Answers of every status resolve; throws an OutboundError, and nothing else. */
  request(asked: OutboundRequest): Promise<OutboundResponse>
  /**
   * Opens a socket for whoever speaks another protocol, who ends it. Throws an OutboundError, and nothing else: what goes wrong with the
   * socket from then on is its own.
   */
  connect(asked: OutboundPlace): Promise<Socket>
  /**
   * The same for a library that opens its socket by itself: judges a place, and answers a look-up that leads to what was judged and
   * nowhere else. Throws an OutboundError, and nothing else.
   */
  leadTo(asked: Pick<OutboundPlace, 'host' | 'port' | 'isConfidential' | 'tls'>): Promise<LookupFunction>
}

/** A place that is connected to. */
export interface OutboundPlace {
  /** A name or an address, one of version 6 without brackets. */
  readonly host: string
  readonly port: number
  /** TLS from the first byte; plain where it is absent. */
  readonly tls?: OutboundTls | undefined
  /** Credentials will go over it without TLS: the operator has to name the host. */
  readonly isConfidential?: boolean
  /** Milliseconds from the look-up of the name until it is connected. */
  readonly timeoutMs: number
  /** Gives it up. */
  readonly signal?: AbortSignal
}

/** How TLS is spoken; all in PEM. */
export interface OutboundTls {
  /** The authorities that are trusted, in place of those of Node. */
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
  readonly passphrase?: string | undefined
}

/** Why nothing is sent to a url. */
export interface UrlFault {
  /** `ADDRESS_REFUSED` where the address is one that may not be connected to, `INVALID_URL` where the text is at fault. */
  readonly code: 'ADDRESS_REFUSED' | 'INVALID_URL'
  /** What is wrong, to follow a name for the url: `must begin with https://`. It shows nothing but the url's host. */
  readonly message: string
  /** What would be right. */
  readonly hint?: string
}

/** One request on its way out. */
export interface OutboundRequest {
  readonly url: string
  /** GET unless said. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Headers that make the request confidential: they need TLS, and go to the first origin alone. */
  readonly credentials?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | OutboundStream
  /** Milliseconds from the look-up of the name to the last byte of the answer, redirects included. */
  readonly timeoutMs: number
  /** The most that the answer's body may have, once it is decompressed. */
  readonly maxBodyBytes: number
  /** What becomes of a longer answer: `refuse`, unless said, throws TOO_LARGE; `cut` takes its beginning. */
  readonly excess?: 'refuse' | 'cut'
  /** Takes the body of a 2xx as it comes; `body` is empty then. */
  readonly into?: OutboundSink
  /** How many redirects are followed, each judged anew: 0 unless said, when they are answers like any other. */
  readonly redirects?: number
  /** How TLS is spoken with the first origin; a certificate of one's own makes the request confidential. */
  readonly tls?: OutboundTls | undefined
  /** Addresses and ranges, besides which nothing is connected to: what is not public stays refused. */
  readonly only?: readonly string[] | undefined
  /** Ends the request. */
  readonly signal?: AbortSignal
}

/** A body that is sent as it is read, once. */
export interface OutboundStream {
  readonly bytes: AsyncIterable<Uint8Array>
  /** How many bytes it has. */
  readonly length: number
}

/** Where a body goes that nobody wants as a whole. */
export interface OutboundSink {
  /** The most bytes that it may have, once it is decompressed; a longer one fails with TOO_LARGE. */
  readonly maxBytes: number
  /** Reads it to its end. What it throws ends the request. */
  take(answer: Pick<OutboundResponse, 'status' | 'headers'>, bytes: AsyncIterable<Uint8Array>): Promise<void>
}

/** What came back. */
export interface OutboundResponse {
  readonly status: number
  /** By names in lower case; values of one name are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** The body was longer than was asked for. */
  readonly isCut: boolean
}

/** The server's client for all that leaves it. */
export const OutboundCapability = capability<Outbound>('outbound')

/** What seals secrets under the operator's own key; who finds none seals under one derived of the server's secret. */
export const KeptSecretsCapability = capability<KeptSecrets>('kept secrets')
