import { HEIF, readHeif } from './heif.ts'
import { JPEG, readJpeg } from './jpeg.ts'
import type { Lying } from './lying.ts'
import { orientationInPng } from './png.ts'
import { rootOfSvg } from './svg.ts'
import { readTiff, TIFF } from './tiff.ts'
import { orientationInWebp, WEBP } from './webp.ts'

/** A picture's size in pixels, as it is shown. */
export interface Pixels {
  readonly width: number
  readonly height: number
}

/** How much of a picture is looked at from its beginning, in bytes. */
export const HEAD_BYTES = 64 * 1024
/** How much of that the library sees: what it takes for boxes grows with the square of their number. */
const SEEN_BYTES = 32 * 1024
const SVG = 'image/svg+xml'

/** What is believed of what the library reads: other forms it takes for granted by a byte or two. */
const KNOWN = new Set('png gif webp bmp ico cur psd jp2 jxl jxl-stream svg'.split(' '))

/**
 * Measures the picture that begins with `head`. What is no picture, is broken, or does not say its size there is
 * undefined; `read` reads bytes from further behind, of forms that say it there.
 */
export async function measure(type: string, head: Buffer, read: Read): Promise<Pixels | undefined> {
  if (!type.startsWith('image/')) return undefined
  try {
    return turned(await (READERS[type] ?? readHead)(head, read, type))
  } catch {
    // Headers that contradict themselves end in errors of many kinds.
    return undefined
  }
}

type Read = (from: number) => Promise<Buffer>
type PixelReader = (head: Buffer, read: Read, type: string) => Lying | undefined | Promise<Lying | undefined>

/** Forms that say their size, or how they lie, further behind than at the beginning, or in more than one place. */
const READERS: Readonly<Record<string, PixelReader>> = {
  [TIFF]: readTiff,
  [JPEG]: readJpeg,
  [WEBP]: readWebp,
  ...Object.fromEntries(HEIF.map((type) => [type, readHeif])),
}

async function readWebp(head: Buffer, read: Read, type: string): Promise<Lying | undefined> {
  const found = await readHead(head, read, type)
  if (found === undefined) return undefined
  // What a broken chunk says does not count; the size does.
  const orientation = await orientationInWebp(head, read).catch(() => undefined)
  return { ...found, orientation }
}

async function readHead(head: Buffer, _: Read, type: string): Promise<Lying | undefined> {
  const { imageSize } = await import('image-size')
  const bytes = type === SVG ? rootOfSvg(head) : head.subarray(0, SEEN_BYTES)
  const { width, height, orientation, type: form = '' } = imageSize(bytes)
  if (!KNOWN.has(form)) return undefined
  return { width, height, orientation: orientation ?? (form === 'png' ? orientationInPng(head) : undefined) }
}

/** No side of a picture that a form can hold is longer. */
const MOST = 2 ** 31 - 1
const isSide = (side: number): boolean => Number.isInteger(side) && side > 0 && side <= MOST

function turned(found: Lying | undefined): Pixels | undefined {
  if (found === undefined || !isSide(found.width) || !isSide(found.height)) return undefined
  const { width, height, orientation = 1 } = found
  return orientation >= 5 && orientation <= 8 ? { width: height, height: width } : { width, height }
}
