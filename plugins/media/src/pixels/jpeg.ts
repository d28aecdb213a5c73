import type { Lying } from './lying.ts'
import { orientationOf } from './tiff.ts'

export const JPEG = 'image/jpeg'

/** A marker with its length, and the sides of a frame behind that. */
const HEADER_BYTES = 9
/** Pictures have a dozen of segments before their frame, and some dozens where a profile of colours is long. */
const MAX_SEGMENTS = 200

const EXIF = 'Exif\0\0'
const APP1 = 0xe1
const FILL = 0xff
/** What begins the picture itself, or ends it. */
const LAST: readonly number[] = [0xd9, 0xda]
/** Between the frames of all kinds: tables, and what is reserved. */
const NO_FRAMES: readonly number[] = [0xc4, 0xc8, 0xcc]
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && !NO_FRAMES.includes(marker)

/** Walks the segments of a JPEG (ITU-T T.81, annex B) to its frame; `read` reads from where `head` ends. */
export async function readJpeg(
  head: Buffer,
  read: (from: number) => Promise<Buffer>,
): Promise<Lying | undefined> {
  let [bytes, start] = [head, 0]
  let orientation: number | undefined
  for (let at = 2, count = 0; count < MAX_SEGMENTS; count += 1) {
    if (at + HEADER_BYTES > start + bytes.length) [bytes, start] = [await read(at), at]
    const place = at - start
    if (bytes.readUInt8(place) !== FILL) return undefined
    const marker = bytes.readUInt8(place + 1)
    if (LAST.includes(marker)) return undefined
    if (isFrame(marker))
      return { height: bytes.readUInt16BE(place + 5), width: bytes.readUInt16BE(place + 7), orientation }
    const length = marker === FILL ? -1 : bytes.readUInt16BE(place + 2)
    if (marker === APP1) orientation ??= orientationIn(bytes.subarray(place + 4, place + 2 + length))
    at += 2 + length
  }
  return undefined
}

/** What a segment says that holds EXIF. */
const orientationIn = (segment: Buffer): number | undefined =>
  segment.toString('latin1', 0, EXIF.length) === EXIF ? orientationOf(segment) : undefined
