import { type Answer, type AppError, errorText } from '@svc/kernel'
import type { HeaderSet } from './headers.ts'
import type { Outgoing } from './message.ts'

/** What is added to an answer on its way out. */
export interface Envelope {
  readonly requestId: string
  /** The headers of every answer. */
  readonly standing: HeaderSet
  /** The answer is to a HEAD request: its headers alone leave. */
  readonly headOnly: boolean
}

/** Makes the response of an answer. Throws on a status that HTTP has no room for. */
export function outbound(answer: Answer, { requestId, standing, headOnly }: Envelope): Outgoing {
  const { status, body, type = UNKNOWN_TYPE } = answer
  if (!(status >= 200 && status <= 599)) throw new RangeError(`an answer cannot have the status ${status}`)
  const isBodiless = BODILESS.has(status)
  const headers = [...standing.list, 'x-request-id', requestId]
  for (const name in answer.headers) standing.add(headers, name, answer.headers[name]!)
  if (isBodiless || body === undefined) {
    discard(body)
    if (!isBodiless) headers.push('content-length', '0')
    return { status, headers, body: undefined }
  }
  if (body instanceof ReadableStream) {
    headers.push('content-type', type)
    if (headOnly) discard(body)
  } else {
    headers.push('content-type', type, 'content-length', String(Buffer.byteLength(body)))
  }
  return { status, headers, body: headOnly ? undefined : body }
}

/** The answer of an error that no action stands behind. */
export function answerOf(error: AppError): Answer {
  return {
    status: error.status,
    headers: error.detail.headers ?? {},
    type: 'application/json',
    body: errorText(error.status, error.code, error.message),
  }
}

/** Ends the source of a body that nobody will read. */
export function discard(body: Answer['body']): void {
  if (body instanceof ReadableStream) body.cancel().catch(() => undefined)
}

const UNKNOWN_TYPE = 'application/octet-stream'

/** Statuses whose answers have no body (RFC 9110, section 6.4.1). */
const BODILESS = new Set([204, 205, 304])
