import { PNG } from '../files/desk.ts'

/** Where the first chunk of a PNG ends, which says its size. */
const HEADER_END = 33

/** A PNG that says a size, and what was told of how it was held. */
export function png(width: number, height: number, exif?: Buffer): Buffer {
  const picture = Buffer.from(PNG)
  picture.writeUInt32BE(width, 16)
  picture.writeUInt32BE(height, 20)
  if (exif === undefined) return picture
  const head = Buffer.from('\0\0\0\0eXIf')
  head.writeUInt32BE(exif.length)
  const chunk = [head, exif, Buffer.alloc(4)]
  return Buffer.concat([picture.subarray(0, HEADER_END), ...chunk, picture.subarray(HEADER_END)])
}

/** The directory of a TIFF with these tags, as it lies behind its eight bytes of beginning. */
function directory(tags: Readonly<Record<number, number>>): Buffer {
  const entries = Object.entries(tags).map(([tag, value]) => {
    const entry = Buffer.alloc(12)
    entry.writeUInt16BE(Number(tag), 0)
    entry.writeUInt16BE(3, 2)
    entry.writeUInt32BE(1, 4)
    entry.writeUInt16BE(value, 8)
    return entry
  })
  const count = Buffer.alloc(2)
  count.writeUInt16BE(entries.length)
  return Buffer.concat([count, ...entries, Buffer.alloc(4)])
}

/** A TIFF whose directory comes at its end. */
export function tiff(tags: Readonly<Record<number, number>>, behind = 8): Buffer {
  const head = Buffer.alloc(behind, 7)
  head.write('MM\0*', 'latin1')
  head.writeUInt32BE(behind, 4)
  return Buffer.concat([head, directory(tags)])
}

/** A JPEG that says a size, and how it was held, with so many bytes of a profile before that. */
export function jpeg(width: number, height: number, orientation = 1, profile = 0): Buffer {
  const exif = Buffer.concat([Buffer.from('Exif\0\0'), tiff({ 274: orientation })])
  const app1 = Buffer.from([0xff, 0xe1, 0, exif.length + 2])
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0])
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  const app2 = Buffer.alloc(30_002)
  app2.writeUInt32BE(0xffe2_7530)
  const profiles = Array.from({ length: Math.ceil(profile / app2.length) }, () => app2)
  return Buffer.concat([Buffer.from([0xff, 0xd8]), app1, exif, ...profiles, frame, Buffer.from([0xff, 0xd9])])
}

/** A WebP that says a size, and behind so many bytes of picture how it was held. */
export function webp(width: number, height: number, orientation: number, picture = 10): Buffer {
  const chunk = (type: string, content: Buffer) => {
    const head = Buffer.alloc(8)
    head.write(type, 'latin1')
    head.writeUInt32LE(content.length, 4)
    return Buffer.concat([head, content, Buffer.alloc(content.length % 2)])
  }
  const extended = Buffer.alloc(10)
  extended[0] = 0x08
  extended.writeUIntLE(width - 1, 4, 3)
  extended.writeUIntLE(height - 1, 7, 3)
  const chunks = [
    chunk('VP8X', extended),
    chunk('VP8 ', Buffer.alloc(picture)),
    chunk('EXIF', tiff({ 274: orientation })),
  ]
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks])
  const head = Buffer.from('RIFF\0\0\0\0', 'latin1')
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body])
}

/** A box of ISO/IEC 14496-12. */
const box = (type: string, ...content: readonly Buffer[]): Buffer => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + content.reduce((sum, { length }) => sum + length, 0))
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, ...content])
}
const words = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at)
  return bytes
}

/** An AVIF of two items, a small one and the first, which is turned by so many quarters and cut to another size where that is said. */
export function avif(
  width: number,
  height: number,
  quarters: number,
  cut?: readonly [number, number],
): Buffer {
  const properties = [
    box('ispe', words(0, 16, 16)),
    box('ispe', words(0, width, height)),
    box('irot', Buffer.from([quarters])),
    ...(cut ? [box('clap', words(cut[0], 1, cut[1], 1, 0, 1, 0, 1))] : []),
  ]
  // Item 1 is a preview with the first property, item 2 has the others; some of them are essential.
  const own = Buffer.from([0, 1, 1, 1, 0, 2, properties.length - 1, 2, 0x83, ...(cut ? [0x84] : [])])
  const meta = box(
    'meta',
    words(0),
    box('pitm', words(0), Buffer.from([0, 2])),
    box('iprp', box('ipco', ...properties), box('ipma', words(0, 2), own)),
  )
  return Buffer.concat([box('ftyp', Buffer.from('avif\0\0\0\0avifmif1')), meta])
}
