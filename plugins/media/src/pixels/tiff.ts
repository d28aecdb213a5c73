import type { Lying } from './lying.ts'

export const TIFF = 'image/tiff'

const WIDTH = 256
const HEIGHT = 257
const ORIENTATION = 274
/** Kinds of values that stand in the entry itself. */
const SHORT = 3
const LONG = 4
const ENTRY_BYTES = 12

/** Reads a TIFF 6.0, whose directory most programs write behind the picture; `read` reads from there. */
export async function readTiff(
  head: Buffer,
  read: (from: number) => Promise<Buffer>,
): Promise<Lying | undefined> {
  const isLittle = head.toString('latin1', 0, 4) === 'II*\0'
  if (!isLittle && head.toString('latin1', 0, 4) !== 'MM\0*') return undefined
  const offset = isLittle ? head.readUInt32LE(4) : head.readUInt32BE(4)
  const tags = readDirectory(await read(offset), isLittle)
  const [width, height] = [tags.get(WIDTH), tags.get(HEIGHT)]
  if (width === undefined || height === undefined) return undefined
  return { width, height, orientation: tags.get(ORIENTATION) }
}

/** What JPEG has before it, and some programs everywhere. */
const PREFIX = 'Exif\0\0'

/** The orientation that EXIF says, which is a TIFF without a picture; undefined where it is broken. */
export function orientationOf(exif: Buffer): number | undefined {
  const isPrefixed = exif.toString('latin1', 0, PREFIX.length) === PREFIX
  const bytes = isPrefixed ? exif.subarray(PREFIX.length) : exif
  const isLittle = bytes.toString('latin1', 0, 2) === 'II'
  try {
    const offset = isLittle ? bytes.readUInt32LE(4) : bytes.readUInt32BE(4)
    return readDirectory(bytes.subarray(offset), isLittle).get(ORIENTATION)
  } catch {
    return undefined
  }
}

function readDirectory(bytes: Buffer, isLittle: boolean): ReadonlyMap<number, number> {
  const short = (at: number) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at))
  const long = (at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at))
  const count = short(0)
  const tags = new Map<number, number>()
  for (let at = 2; at < 2 + count * ENTRY_BYTES && at + ENTRY_BYTES <= bytes.length; at += ENTRY_BYTES) {
    const kind = short(at + 2)
    if (kind === SHORT) tags.set(short(at), short(at + 8))
    else if (kind === LONG) tags.set(short(at), long(at + 8))
  }
  return tags
}
