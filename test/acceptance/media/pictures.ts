import { PNG } from '../files/desk.ts'

/** A PNG that says a size. */
export function png(width: number, height: number): Buffer {
  const picture = Buffer.from(PNG)
  picture.writeUInt32BE(width, 16)
  picture.writeUInt32BE(height, 20)
  return picture
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
