import { validateHeaderName, validateHeaderValue } from 'node:http'
import { type Answer, type AppError, errorText } from '@svc/kernel'
import type { HeaderSet } from './cors.ts'

/** What is added to an answer on its way out. */
export interface Envelope {
  readonly requestId: string
  /** The answer is to a HEAD request: its headers alone leave. */
  readonly headOnly: boolean
  /** Nobody stands between the answer and its connection, for which node-server reads the body by one reader. */
  readonly isDirect: boolean
  /** Called where a streamed body breaks off; true where the connection is cut, and nobody is to be told. */
  onBroken(error: unknown): boolean
}

/**
 * Makes the response of an answer, with headers that all answers have. They are one plain object from the start: what is
 * set on a response later takes node-server off its short way. Throws on what HTTP has no room for: whatever passes here
 * can be written.
 */
export function outbound(answer: Answer, standing: HeaderSet, envelope: Envelope): Response {
  const { status, body, type = UNKNOWN_TYPE } = answer
  if (!(status >= 200 && status <= 599)) throw new RangeError(`an answer cannot have the status ${status}`)
  assertBody(answer)
  assertValue('content-type', type)
  const headers: Record<string, string> = { ...shapeOf(standing, answer.headers) }
  for (const name in answer.headers) add(headers, name, answer.headers[name]!)
  headers['x-request-id'] = envelope.requestId
  if (body === undefined || BODILESS.has(status) || envelope.headOnly) {
    discard(body)
    return new Response(null, { status, headers: withoutBody(headers, answer) })
  }
  headers['content-type'] = type
  if (!(body instanceof ReadableStream)) return new Response(body, { status, headers })
  if (answer.length !== undefined) headers['content-length'] = String(answer.length)
  return new Response(watched(body, answer.length, envelope), { status, headers })
}

function assertBody({ body, length }: Answer): void {
  if (body instanceof ReadableStream) {
    if (body.locked) throw new TypeError('the body of an answer is read by somebody else')
    if (length === undefined || (Number.isSafeInteger(length) && length >= 0)) return
    throw new RangeError(`the body of an answer cannot have the length ${length}`)
  }
  if (body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new TypeError('the body of an answer is neither text nor bytes')
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

/** The headers where they are all that leaves; node-server finds out by itself how long a body is that leaves too. */
function withoutBody(headers: HeaderSet, { status, body, length, type = UNKNOWN_TYPE }: Answer): HeaderSet {
  const { 'content-type': _, ...rest } = headers
  if (BODILESS.has(status)) return rest
  if (body === undefined) return { ...rest, 'content-length': '0' }
  if (body instanceof ReadableStream)
    return {
      ...rest,
      'content-type': type,
      ...(length !== undefined && { 'content-length': String(length) }),
    }
  return { ...rest, 'content-type': type, 'content-length': String(Buffer.byteLength(body)) }
}

/** What every answer says for itself, in place of whoever else says it. */
const OWN: ReadonlySet<string> = new Set(['x-request-id', 'content-type', 'content-length'])

/** Standing headers with room for others of these names, as they are written, in this order. */
interface Shape {
  readonly names: readonly string[]
  readonly headers: HeaderSet
}

/** The shapes of each standing set, the latest last. Far more than code answers. */
const MAX_SHAPES = 50
const shapes = new WeakMap<HeaderSet, Shape[]>()

/** `standing` with a place for each of `added`: to set a property that is there costs a tenth of adding one. */
function shapeOf(standing: HeaderSet, added: Answer['headers']): HeaderSet {
  const known = shapes.get(standing) ?? []
  for (const { names, headers } of known) if (areKeysOf(added, names)) return headers
  const names = Object.keys(added)
  const keys = ['x-request-id', 'content-type', ...names.map(keyOf).filter((key) => !OWN.has(key))]
  const headers = { ...Object.fromEntries(keys.map((key) => [key, ''])), ...standing }
  shapes.set(standing, [...known, { names, headers }].slice(-MAX_SHAPES))
  return headers
}

/** Compares names without making a text of them: nearly always they are the same objects. */
function areKeysOf(added: Answer['headers'], names: readonly string[]): boolean {
  let at = 0
  for (const name in added) if (name !== names[at++]) return false
  return at === names.length
}

/** In the place of the standing header of that name, but for Vary, which is said together. */
function add(headers: Record<string, string>, name: string, value: string): void {
  const key = keyOf(name)
  if (OWN.has(key)) return
  assertValue(name, value)
  if (key === 'connection' && value !== 'close')
    throw new TypeError(`an answer cannot have the header '${name}' but for 'close'`)
  headers[key] = key === 'vary' && headers[key] ? `${headers[key]}, ${value}` : value
}

function assertValue(name: string, value: string): void {
  if (typeof value !== 'string') throw new TypeError(`the header '${name}' of an answer is no text`)
  if (!PLAIN.test(value)) validateHeaderValue(name, value)
}

/** Values that need no closer look. */
const PLAIN = /^[\x20-\x7e]*$/

/** What is the connection's to say (RFC 9110, section 7.6.1); but any answer may be the last on it. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Names that are fit for headers, in lower case by how they were written. Far more than code writes. */
const MAX_CACHED = 200
const cached = new Map<string, string>()

function keyOf(name: string): string {
  const known = cached.get(name)
  if (known !== undefined) return known
  validateHeaderName(name)
  const key = name.toLowerCase()
  if (OF_CONNECTION.has(key)) throw new TypeError(`an answer cannot have the header '${name}'`)
  if (cached.size < MAX_CACHED) cached.set(name, key)
  return key
}

/** What reads a body to its end. */
type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel' | 'closed'>

/** A body that tells where it breaks off, or has another length than was said; whoever leaves early ends it. */
export function watched(
  body: ReadableStream<Uint8Array>,
  length: number | undefined,
  envelope: Envelope,
): ReadableStream<Uint8Array> {
  const read = body.getReader.bind(body)
  const getReader = () => watchedReader(read(), length, envelope)
  // A second stream around it would cost 4 KB for as long as it lasts.
  if (envelope.isDirect) return Object.assign(body, { getReader })
  const reader = getReader()
  let isLeft = false
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (isLeft) return
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel(reason) {
        isLeft = true
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

function watchedReader(reader: Reader, length: number | undefined, envelope: Envelope): Reader {
  let sent = 0
  // Who leaves while a part is waited for has broken nothing off.
  let isLeft = false
  return {
    async read() {
      try {
        const part = await reader.read()
        sent += part.value?.length ?? 0
        if (!isLeft && length !== undefined && (part.done ? sent !== length : sent > length))
          throw new Error(`a body of ${length} bytes has ${part.done ? sent : `more than ${length}`}`)
        return part
      } catch (error) {
        if (isLeft || envelope.onBroken(error)) return { done: true, value: undefined }
        throw error
      }
    },
    cancel(reason) {
      isLeft = true
      return reader.cancel(reason)
    },
    closed: reader.closed.catch(() => undefined),
  }
}
