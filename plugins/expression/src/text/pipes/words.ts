import type { Value } from '@svc/store/contract'
import { asText, lengthOf, slice } from '../../values/text.ts'
import type { Pipe } from '../pipe.ts'

const ofText = (change: (text: string) => string): Pipe => ({
  takes: [],
  apply(value) {
    const text = asText(value)
    return text === undefined ? undefined : change(text)
  },
})

/** Pipes that make one text of another, by characters of Unicode. */
export const WORD_PIPES: Readonly<Record<string, Pipe>> = {
  upper: ofText((text) => text.toUpperCase()),
  lower: ofText((text) => text.toLowerCase()),
  /** Every word with a capital letter first. */
  title: ofText((text) =>
    text.toLowerCase().replace(/(?<![\p{L}\p{M}\p{N}'’])\p{L}/gu, (letter) => letter.toUpperCase()),
  ),
  trim: ofText((text) => text.trim()),
  /** At most so many characters, the last of them `…` where some were cut off. */
  truncate: {
    takes: ['whole'],
    needs: 1,
    inspect: (most) => (isLength(most) ? undefined : 'a text is cut to 1 character or more'),
    apply(value, [most]) {
      const text = asText(value)
      if (text === undefined || !isLength(most)) return undefined
      return lengthOf(text) <= most ? text : `${slice(text, 0, most - 1)}…`
    },
  },
  /** In place of nothing: null, an empty text, an empty list. */
  default: {
    takes: ['any'],
    needs: 1,
    takesNull: true,
    apply: (value, [otherwise = null]) => (isNothing(value) ? otherwise : undefined),
  },
}

const isLength = (value: Value | undefined): value is number => typeof value === 'number' && value >= 1

const isNothing = (value: Value): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0)
