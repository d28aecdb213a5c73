import { OutboundError, type OutboundFailure } from './failure.ts'

/** Nothing was sent: nobody was there to send it to. */
const UNCONNECTED: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
])

const KINDS: readonly (readonly [code: RegExp, kind: OutboundFailure, text: string])[] = [
  [
    /^(?:ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_|EPROTO$)/,
    'TLS_FAILED',
    'TLS or its certificate',
  ],
  [/^(?:UND_ERR_HEADERS_OVERFLOW|HPE_HEADER_OVERFLOW)$/, 'TOO_LARGE', 'its headers are too long'],
  [
    /^(?:HPE_|Z_|ERR__ERROR_|ERR_BROTLI|ERR_PADDING|UND_ERR_RES_EXCEEDED)/,
    'INVALID_RESPONSE',
    'the answer cannot be read',
  ],
  [
    /^(?:UND_ERR_INVALID_ARG|UND_ERR_REQ_CONTENT|ERR_INVALID_)/,
    'INVALID_REQUEST',
    'the request cannot be sent',
  ],
  [/^(?:UND_ERR_DESTROYED|UND_ERR_CLOSED)$/, 'CANCELLED', 'the server stops'],
]

/** What a failure underneath means to whoever asked. */
export function outboundErrorOf(cause: unknown, host: string): OutboundError {
  if (cause instanceof OutboundError) return cause
  const code = codeOf(cause)
  const [, kind, text] = KINDS.find(([pattern]) => pattern.test(code)) ?? []
  const mayHaveArrived = !UNCONNECTED.has(code) && kind !== 'TLS_FAILED' && kind !== 'INVALID_REQUEST'
  if (kind !== undefined)
    return new OutboundError(kind, `'${host}': ${text} (${code})`, { cause, mayHaveArrived })
  const what = mayHaveArrived ? 'the connection broke' : 'nobody answers there'
  const shown = code === '' ? '' : ` (${code})`
  return new OutboundError('CONNECTION_FAILED', `'${host}': ${what}${shown}`, { cause, mayHaveArrived })
}

/** The code of a failure; that of an answer which is no HTTP may be missing. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.name === 'HTTPParserError' ? 'HPE_INVALID' : ''
}
