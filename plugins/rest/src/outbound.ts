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
  const headers: Record<string, string> = { ...shapeOf(envelope.standing, answer.headers) }
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
  const key = keyOf(name)
  if (!PLAIN.test(value)) validateHeaderValue(name, value)
  headers[key] = key === 'vary' && headers['vary'] ? `${headers['vary']}, ${value}` : value
}

/** Standing headers with room for others, by the names of those. Far more than code answers. */
const MAX_SHAPES = 200
const shapes = new WeakMap<HeaderSet, Map<string, HeaderSet>>()

/** `standing` with a place for each of `added`: a property that is there is set in a twentieth of the time of a new one. */
function shapeOf(standing: HeaderSet, added: Answer['headers']): HeaderSet {
  let names = ''
  for (const name in added) names += `${name}\n`
  if (names === '') return standing
  const known = shapes.get(standing)?.get(names)
  if (known !== undefined) return known
  const keys = Object.keys(added).map((name) => name.toLowerCase())
  const shape = { ...Object.fromEntries(keys.map((key) => [key, ''])), ...standing }
  const kept = shapes.get(standing) ?? new Map<string, HeaderSet>()
  if (kept.size < MAX_SHAPES) shapes.set(standing, kept.set(names, shape))
  return shape
}

/** Values that need no closer look. */
const PLAIN = /^[\x20-\x7e]*$/

/** Valid names as they were written, and their lower-case form. Far more than code writes. */
const MAX_KEYS = 200
const keys = new Map<string, string>()

function keyOf(name: string): string {
  const known = keys.get(name)
  if (known !== undefined) return known
  validateHeaderName(name)
  const key = name.toLowerCase()
  if (keys.size < MAX_KEYS) keys.set(name, key)
  return key
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

/** Ends quietly where `body` breaks off, after `onBroken` has cut the connection; whoever leaves early ends `body` too. */
function watched(
  body: ReadableStream<Uint8Array>,
  onBroken: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          onBroken(error)
          controller.close()
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
