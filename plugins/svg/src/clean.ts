import { copyRoot, isPicture } from './copy.ts'
import { type Fault as SvgFault, fault, isFault } from './fault.ts'
import { type Counts, LeftOut } from './left-out.ts'
import { parseXml } from './parse.ts'
import { writeSvg } from './write.ts'

export type { SvgFault }

/** A picture that runs nothing and asks for nothing, and what was left out of it; undefined: nothing. */
export interface Cleaned {
  readonly text: string
  readonly leftOut: Counts | undefined
}

/**
 * Makes a new document of the known elements and attributes of an SVG document, or says why it is none. `maxBytes` bounds
 * what is read, as UTF-8; what is made of it may be longer, by namespaces and by marks that are escaped, and is read too.
 * Cleaning twice is cleaning once. Takes time in proportion to the text.
 */
export function cleanSvg(text: string, maxBytes: number): Cleaned | SvgFault {
  if (text.trim() === '') return fault('empty')
  const tooLong = fault('size', { limit: maxBytes })
  const isLong = isLonger(text, maxBytes)
  if (isLong && isLonger(text, MOST_GROWTH * maxBytes + NAMESPACES)) return tooLong
  const parsed = parseXml(text)
  if (isFault(parsed)) return parsed
  if (!isPicture(parsed.root)) return fault('root')
  const leftOut = new LeftOut()
  const root = copyRoot(parsed.root, leftOut)
  leftOut.add('comment', undefined, parsed.comments)
  leftOut.add('processing instruction', undefined, parsed.instructions)
  leftOut.add('DOCTYPE', undefined, parsed.doctypes)
  const { text: written, spare } = writeSvg(root)
  if (isLong && (written !== text || Buffer.byteLength(text) - spare > maxBytes)) return tooLong
  return { text: written, leftOut: leftOut.counts }
}

/** How many times as long a text becomes at most: by `&quot;` for each mark, beside the namespaces. */
const MOST_GROWTH = 6
const NAMESPACES = 100

/** No character has fewer bytes than UTF-16 has halves of it. */
const isLonger = (text: string, bytes: number): boolean =>
  text.length > bytes || Buffer.byteLength(text) > bytes
