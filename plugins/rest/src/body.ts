import type { Readable } from 'node:stream'
import { type AppError, type Detail, errors } from '@svc/kernel'
import { Deadline, type Deadlines } from './deadline.ts'

/** How much of a body is read, and for how long. */
export interface BodyLimits {
  readonly bytes: number
  readonly deadlines: Deadlines
}

/** Reads a header by its lower-case name. */
export type Meta = (name: string) => string | undefined

/** Whether a message with these headers has a body (RFC 9112, section 6). */
export function announcesBody(meta: Meta): boolean {
  if (meta('transfer-encoding') !== undefined) return true
  const length = meta('content-length')
  return length !== undefined && Number(length) !== 0
}

/**
 * Reads a body as JSON; undefined where it turns out to be empty. Throws PAYLOAD_TOO_LARGE, where possible
 * before a byte is read, UNSUPPORTED_MEDIA_TYPE, or BAD_REQUEST.
 */
export function readJson(source: Readable, meta: Meta, limits: BodyLimits): Promise<unknown> {
  const announced = meta('content-length')
  if (announced !== undefined) {
    if (Number(announced) > limits.bytes) throw tooLarge(limits.bytes)
    assertJson(meta)
  }
  const read = (bytes: Buffer): unknown => {
    if (bytes.length === 0) return undefined
    if (announced === undefined) assertJson(meta)
    return parseJson(bytes)
  }
  return new Promise((resolve, reject) => new Collecting(source, limits, read, resolve, reject))
}

const JSON_TYPE = /^application\/(?:json|[\w!#$&^.+-]+\+json)\s*(?:;|$)/i

function assertJson(meta: Meta): void {
  const type = meta('content-type')
  if (type === undefined || !JSON_TYPE.test(type)) throw errors.UNSUPPORTED_MEDIA_TYPE()
  assertUncoded(meta)
}

/** Throws UNSUPPORTED_MEDIA_TYPE for a body with a content coding. */
export function assertUncoded(meta: Meta): void {
  const coding = meta('content-encoding')
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw errors.UNSUPPORTED_MEDIA_TYPE({ message: 'Send the body without a content coding' })
}

/** The rest of a refused body would stand where the next request is expected. */
const CLOSE = { connection: 'close' }

/** What is said to who is not read any further. */
export const closing = (message: string): Detail => ({ message, headers: CLOSE })

/** The refusal of a body of more than `limit` bytes. */
export const tooLarge = (limit: number): AppError =>
  errors.PAYLOAD_TOO_LARGE(closing(`The body is larger than ${limit} bytes`))

/**
 * What is read of the bytes of a body as they come, until one of its ends; what comes after that is passed over. It
 * does not destroy the source when it gives up: the answer still has to leave by the same connection.
 */
class Collecting extends Deadline {
  readonly #limits: BodyLimits
  readonly #read: (bytes: Buffer) => unknown
  readonly #resolve: (read: unknown) => void
  readonly #reject: (error: unknown) => void
  readonly #chunks: Buffer[] = []
  #size = 0
  #isOver = false

  constructor(
    source: Readable,
    limits: BodyLimits,
    read: (bytes: Buffer) => unknown,
    resolve: (read: unknown) => void,
    reject: (error: unknown) => void,
  ) {
    super()
    this.#limits = limits
    this.#read = read
    this.#resolve = resolve
    this.#reject = reject
    limits.deadlines.start(this)
    const cut = () => this.#refuse('The connection ended before the body did')
    source.on('data', (chunk: Buffer) => this.#take(chunk)).on('end', () => this.#end())
    // Without a listener, an error of a connection given up would end the process.
    source.on('close', cut).on('error', cut)
    if (source.destroyed) cut()
  }

  expire(): void {
    this.#refuse('The body took too long to arrive')
  }

  #take(chunk: Buffer): void {
    if (this.#isOver) return
    this.#size += chunk.length
    if (this.#size <= this.#limits.bytes) this.#chunks.push(chunk)
    else if (this.#close()) this.#reject(tooLarge(this.#limits.bytes))
  }

  #end(): void {
    if (!this.#close()) return
    try {
      this.#resolve(this.#read(this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)))
    } catch (error) {
      this.#reject(error)
    }
  }

  #refuse(message: string): void {
    if (this.#close()) this.#reject(errors.BAD_REQUEST(closing(message)))
  }

  /** Whether it was open until now. */
  #close(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#limits.deadlines.stop(this)
    return true
  }
}

/** A byte order mark is passed over; bytes that are not UTF-8 are an error. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads bytes as JSON. Throws BAD_REQUEST. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'it is not encoded as UTF-8'
    throw errors.BAD_REQUEST({ message: `The body is not valid JSON: ${reason}` })
  }
}
