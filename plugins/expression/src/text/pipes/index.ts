import type { Format } from '../../formats/format.ts'
import { FORMATS } from '../../formats/index.ts'
import type { Pipe, Pipes } from '../pipe.ts'
import { LIST_PIPES } from './lists.ts'
import { NUMBER_PIPES } from './numbers.ts'
import { WORD_PIPES } from './words.ts'

const ofFormat = ({ takes, inspect, write }: Format): Pipe => ({
  takes,
  ...(inspect && { inspect }),
  apply: (value, args, { formats, of }) => write(value, args, formats, of),
})

/** The pipes of every text: the formats by their names, and what makes one text of another. */
export const PLAIN_PIPES: Pipes = new Map<string, Pipe>([
  ...[...FORMATS].map(([name, format]): [string, Pipe] => [name, ofFormat(format)]),
  ...Object.entries({ ...NUMBER_PIPES, ...WORD_PIPES, ...LIST_PIPES }),
])
