import { validateHeaderName, validateHeaderValue } from 'node:http'
import { type Answer, type AppError, errorText } from '@svc/kernel'
import type { HeaderSet } from './security.ts'

/** What is added to an answer on its way out. */
export interface Envelope {
  readonly requestId: string
  /** The precomputed headers of every answer, its name and a JSON body's type among them. */
  readonly standing: HeaderSet
  /** The answer is to a HEAD request: its headers alone leave. */
  readonly headOnly: boolean
  /** Called when a streamed body breaks off. */
  onBroken(error: unknown): void
}

/**
 * Makes the response of an answer: its headers stand in one plain object from the start, which keeps
 * node-server's short way. Throws on a status or a header that HTTP has no room for.
 */
export function outbound(answer: Answer, envelope: Envelope): Response {
  const { status } = answer
  if (!(status >= 200 && status <= 599)) throw new RangeError(`an answer cannot have the status ${status}`)
  const headers: Record<string, string> = { ...envelope.standing }
  headers['x-request-id'] = envelope.requestId
  for (const name in answer.headers) add(headers, name, answer.headers[name]!)
  if (BODILESS.has(status) || answer.body === undefined) {
    discard(answer.body)
    delete headers['content-type']
    return new Response(null, { status, headers })
  }
  if (answer.type !== headers['content-type']) add(headers, 'content-type', answer.type ?? UNKNOWN_TYPE)
  if (envelope.headOnly) return headOf(answer.body, status, headers)
  const { body } = answer
  const sent = body instanceof ReadableStream ? watched(body, (error) => envelope.onBroken(error)) : body
  return new Response(sent, { status, headers })
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

function add(headers: Record<string, string>, name: string, value: string): void {
  validateHeaderName(name)
  validateHeaderValue(name, value)
  const key = name.toLowerCase()
  headers[key] = key === 'vary' && headers['vary'] !== undefined ? `${headers['vary']}, ${value}` : value
}

function headOf(
  body: NonNullable<Answer['body']>,
  status: number,
  headers: Record<string, string>,
): Response {
  if (body instanceof ReadableStream) discard(body)
  else headers['content-length'] = String(Buffer.byteLength(body))
  return new Response(null, { status, headers })
}

/** Ends quietly where `body` breaks off, after `onBroken` has cut the connection. */
function watched(
  body: ReadableStream<Uint8Array>,
  onBroken: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  async function* chunks() {
    try {
      yield* body
    } catch (error) {
      onBroken(error)
    }
  }
  return ReadableStream.from(chunks())
}
