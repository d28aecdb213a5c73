import { type Call, errors, Reply } from '@svc/kernel'
import { isKnown, isPartOf, type Validators } from './conditions.ts'
import { rangeOf } from './range.ts'

/** Bytes that are answered as they stand, whole or in part. */
export interface Representation extends Validators {
  /** The media type, with its parameters. */
  readonly type: string
  /** How many bytes there are. */
  readonly size: number
  readonly headers?: Readonly<Record<string, string>>
  /** Reads `length` bytes from the place `from` on: all at once where they are few, else as they are asked for. */
  read(from: number, length: number): Promise<Uint8Array | ReadableStream<Uint8Array>>
}

/**
 * Answers a call with bytes: 304 where the client has them, 206 with the one range that it asks for, else all of them
 * (RFC 9110, sections 13 and 14). Throws RANGE_NOT_SATISFIABLE.
 */
export async function represent({ request }: Call, representation: Representation): Promise<Reply<never>> {
  const { type, size, etag, modifiedAt } = representation
  const meta = request?.meta ?? (() => undefined)
  const headers = {
    ...representation.headers,
    ETag: etag,
    'Last-Modified': new Date(modifiedAt).toUTCString(),
    'Accept-Ranges': 'bytes',
  }
  if (isKnown(meta, representation)) return new Reply<never>({ status: 304, headers })
  const range = isPartOf(meta('if-range'), representation) ? rangeOf(meta('range'), size) : undefined
  if (range === 'unsatisfiable')
    throw errors.RANGE_NOT_SATISFIABLE({
      message: `The range begins behind the end: there are ${size} bytes`,
      headers: { 'Content-Range': `bytes */${size}`, 'Accept-Ranges': 'bytes' },
    })
  const { from, length } = range ?? { from: 0, length: size }
  const content = { type, length, body: await representation.read(from, length) }
  if (range === undefined) return new Reply<never>({ headers, content })
  const place = { 'Content-Range': `bytes ${from}-${from + length - 1}/${size}` }
  return new Reply<never>({ status: 206, headers: { ...headers, ...place }, content })
}
