import { wordsOf } from '../words.ts'
import type { Format } from './format.ts'

/** Formats of everything else. */
export const WORD_FORMATS = {
  text: {
    takes: [],
    write: (value, _, formats, of) => (of && formats.labelOf?.(of, value)) ?? wordsOf(value),
  },
  boolean: {
    takes: [],
    write: (value, _, { yes, no }) => (typeof value === 'boolean' ? (value ? yes : no) : undefined),
  },
} as const satisfies Readonly<Record<string, Format>>
