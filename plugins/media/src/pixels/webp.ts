import type { Lying } from './lying.ts'
import { orientationOf } from './tiff.ts'

export const WEBP = 'image/webp'

/** `RIFF`, the length of all, `WEBP`. */
const SIGNATURE_BYTES = 12
/** The type and the length of a chunk. */
const HEADER_BYTES = 8
/** Of the first chunk: whether there is EXIF at all. */
const FLAGS = 20
const HAS_EXIF = 0x08
/** Moving pictures have a chunk for each frame. */
const MAX_CHUNKS = 200

/** What the chunk `EXIF` of a WebP says of its orientation: it stands behind the picture (RFC 9649, section 2.7.1.5). */
export async function orientationInWebp(
  head: Buffer,
  read: (from: number) => Promise<Buffer>,
): Promise<Lying['orientation']> {
  if (head.toString('latin1', SIGNATURE_BYTES, SIGNATURE_BYTES + 4) !== 'VP8X') return undefined
  if ((head.readUInt8(FLAGS) & HAS_EXIF) === 0) return undefined
  let [bytes, start] = [head, 0]
  for (let at = SIGNATURE_BYTES, count = 0; count < MAX_CHUNKS; count += 1) {
    if (at + HEADER_BYTES > start + bytes.length) [bytes, start] = [await read(at), at]
    if (bytes.length < HEADER_BYTES) return undefined
    const place = at - start
    const length = bytes.readUInt32LE(place + 4)
    if (bytes.toString('latin1', place, place + 4) === 'EXIF')
      return orientationOf(await read(at + HEADER_BYTES))
    // A chunk of an odd length is followed by one byte more.
    at += HEADER_BYTES + length + (length % 2)
  }
  return undefined
}
