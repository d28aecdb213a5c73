import { isList } from '../../values/kind.ts'
import { lengthOf } from '../../values/text.ts'
import type { Pipe } from '../pipe.ts'
import { wordsOf } from '../../words.ts'

/** Pipes of lists. */
export const LIST_PIPES: Readonly<Record<string, Pipe>> = {
  /** Its items with something between them. */
  join: {
    takes: ['text'],
    apply: (value, [separator = ', ']) =>
      isList(value) && typeof separator === 'string' ? wordsOf(value, separator) : undefined,
  },
  /** The number of its items, or of the characters of a text. */
  size: {
    takes: [],
    apply(value) {
      if (isList(value)) return value.length
      return typeof value === 'string' ? lengthOf(value) : undefined
    },
  },
}
