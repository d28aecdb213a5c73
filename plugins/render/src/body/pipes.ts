import { type Pipe, type Pipes, PLAIN_PIPES } from '@svc/expression/contract'
import type { Value } from '@svc/store/contract'

/** Pipes of documents alone. */
const OWN: Readonly<Record<string, Pipe>> = {
  /** The value as Markdown. */
  markdown: {
    takes: [],
    makes: 'markdown',
    apply: (value) => (typeof value === 'string' ? value : undefined),
  },
  /** The picture of a media or svg field, or those of a list, so many millimetres wide. */
  image: {
    takes: ['number'],
    makes: 'image',
    inspect: (width) => (isWidth(width) ? undefined : 'a picture is 1 to 1000 mm wide'),
    apply: (value, [width = WIDTH]) => (isWidth(width) && picturesIn(value).length > 0 ? value : undefined),
  },
}

/** Millimetres. */
const WIDTH = 40

const isWidth = (value: Value): value is number => typeof value === 'number' && value >= 1 && value <= 1000

/** How wide a picture is to be, by what stands behind the colon. */
export const widthOf = ([width = WIDTH]: readonly Value[]): number => (isWidth(width) ? width : WIDTH)

/** What the value of a field says of its pictures. */
export const picturesIn = (value: Value): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')

/** The pipes of bodies: those of every text, and two of their own. */
export const BODY_PIPES: Pipes = new Map([...PLAIN_PIPES, ...Object.entries(OWN)])
