import type { Readable, Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { OutboundError } from './failure.ts'

/** What packing may add to a body that it does not shorten. */
const OVERHEAD_BYTES = 65_536
/** Nobody packs more often. */
const MAX_CODINGS = 2

/** The codings that are offered (RFC 9110, section 8.4.1). */
export const CODINGS = 'gzip, br'

const FLUSHED = { finishFlush: constants.Z_SYNC_FLUSH }
const OPENERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', () => createGunzip(FLUSHED)],
  ['x-gzip', () => createGunzip(FLUSHED)],
  ['deflate', () => createInflate(FLUSHED)],
  ['br', () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })],
])

/** A body, or its beginning. */
export interface ReadBody {
  readonly body: Buffer
  readonly isCut: boolean
}

/**
 * The bytes of a body as it is once it is unpacked, at most `maxBytes` of them; `passing` learns whether there were more, which are let
 * go of. What unpacks it never holds more than a chunk. Throws INVALID_RESPONSE where nobody can unpack it.
 */
export async function* unpacked(
  packed: Readable,
  coding: string | undefined,
  maxBytes: number,
  passing: { isCut: boolean },
): AsyncGenerator<Buffer, void> {
  const openers = openersOf(coding)
  let [length, arrived] = [0, 0]
  const stages: Readable[] = [packed]
  if (openers.length > 0) packed.on('data', (chunk: Buffer) => void (arrived += chunk.length))
  for (const open of openers) stages.push(linked(stages.at(-1) ?? packed, open()))
  try {
    for await (const chunk of stages.at(-1) ?? packed) {
      const bytes = chunk as Buffer
      const left = maxBytes - length
      length += bytes.length
      passing.isCut = length > maxBytes || arrived > maxBytes + OVERHEAD_BYTES
      if (!passing.isCut) yield bytes
      else if (left > 0) yield bytes.subarray(0, left)
      if (passing.isCut) return
    }
  } finally {
    for (const stage of stages) stage.destroy()
  }
}

/** Reads a body of at most `maxBytes` as it is once it is unpacked, and lets go of the rest. */
export async function readBody(
  packed: Readable,
  coding: string | undefined,
  maxBytes: number,
): Promise<ReadBody> {
  const passing = { isCut: false }
  const chunks: Buffer[] = []
  for await (const chunk of unpacked(packed, coding, maxBytes, passing)) chunks.push(chunk)
  return { body: Buffer.concat(chunks), ...passing }
}

function openersOf(coding: string | undefined): readonly (() => Transform)[] {
  const codings = (coding ?? '')
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
  const named = codings.filter((one) => one !== '' && one !== 'identity').reverse()
  if (named.length > MAX_CODINGS) throw unreadable(`packed more than ${MAX_CODINGS} times`)
  return named.map((one) => OPENERS.get(one) ?? fail(unreadable('packed in a way that is not known')))
}

/** Pipes on; a failure of what comes before is one of what comes behind. */
function linked(from: Readable, to: Transform): Transform {
  from.on('error', (error) => to.destroy(error))
  return from.pipe(to)
}

const unreadable = (how: string) => new OutboundError('INVALID_RESPONSE', `the answer is ${how}`)

function fail(error: Error): never {
  throw error
}
