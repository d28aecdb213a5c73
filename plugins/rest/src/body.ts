import type { Readable } from 'node:stream'
import { type AppError, type Detail, errors } from '@svc/kernel'

/** How much of a body is read, and for how long. */
export interface BodyLimits {
  readonly bytes: number
  readonly milliseconds: number
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
export async function readJson(source: Readable, meta: Meta, limits: BodyLimits): Promise<unknown> {
  const announced = meta('content-length')
  if (announced !== undefined) {
    if (Number(announced) > limits.bytes) throw tooLarge(limits.bytes)
    assertJson(meta)
  }
  const bytes = await collect(source, limits)
  if (bytes.length === 0) return undefined
  assertJson(meta)
  return parseJson(bytes)
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

/** Does not destroy `source` when it gives up: the answer still has to leave by the same connection. */
function collect(source: Readable, { bytes: limit, milliseconds }: BodyLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = (act: () => void) => {
      clearTimeout(timer)
      source.off('data', onData).off('end', onEnd).off('close', onCut)
      act()
    }
    const refuse = (message: string) => settle(() => reject(errors.BAD_REQUEST(closing(message))))
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) settle(() => reject(tooLarge(limit)))
      else chunks.push(chunk)
    }
    const onEnd = () => settle(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    const onCut = () => refuse('The connection ended before the body did')
    const timer = setTimeout(refuse, milliseconds, 'The body took too long to arrive')
    // The error listener stays: without one, an error of a connection given up would end the process.
    source.on('data', onData).on('end', onEnd).on('close', onCut).on('error', onCut)
    if (source.destroyed) onCut()
  })
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
