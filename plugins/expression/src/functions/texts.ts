import { exceeded } from '../values/exceeded.ts'
import { LIMITS } from '../limits.ts'
import { textsOf } from '../values/semantics.ts'
import { joinTexts, lengthOf, slice } from '../values/text.ts'
import { defineFunction } from './function.ts'

/** Functions of texts; positions and lengths count code points. */
export const TEXT_FUNCTIONS = {
  lower: defineFunction({
    takes: ['text'],
    gives: 'text',
    evaluate: ([text]) => capped(text.toLowerCase()),
  }),
  upper: defineFunction({
    takes: ['text'],
    gives: 'text',
    evaluate: ([text]) => capped(text.toUpperCase()),
  }),
  trim: defineFunction({ takes: ['text'], gives: 'text', evaluate: ([text]) => text.trim() }),
  length: defineFunction({ takes: ['text'], gives: 'number', evaluate: ([text]) => lengthOf(text) }),
  concat: defineFunction({
    takes: ['scalar'],
    repeats: true,
    gives: 'text',
    evaluate: (texts) => joinTexts(texts),
  }),
  substring: defineFunction({
    takes: ['text', 'whole', 'whole'],
    optional: 1,
    gives: 'text',
    evaluate: ([text, start, length = text.length]) =>
      start < 0 || length < 0 ? null : slice(text, start, length),
  }),
  replace: defineFunction({
    takes: ['text', 'text', 'text'],
    gives: 'text',
    evaluate: ([text, from, to]) => (from === '' ? text : joinTexts(text.split(from), to)),
  }),
  split: defineFunction({
    takes: ['text', 'text'],
    gives: 'list',
    evaluate: ([text, separator]) => split(text, separator),
  }),
  join: defineFunction({
    takes: ['list', 'text'],
    optional: 1,
    gives: 'text',
    evaluate: ([list, separator = ',']) => {
      const texts = textsOf(list)
      return texts && joinTexts(texts, separator)
    },
  }),
  format: defineFunction({
    takes: ['text', 'scalar'],
    optional: 1,
    repeats: true,
    gives: 'text',
    evaluate: ([template, ...values]) => format(template, values),
  }),
}

/** A few characters are longer in the other case. */
const capped = (text: string): string | null => (text.length > LIMITS.text ? exceeded() : text)

/** An empty separator splits into characters. */
function split(text: string, separator: string): readonly string[] | null {
  if (separator === '' && lengthOf(text) > LIMITS.items) return exceeded()
  const parts = separator === '' ? Array.from(text) : text.split(separator, LIMITS.items + 1)
  return parts.length > LIMITS.items ? exceeded() : parts
}

/** Puts the values in place of `{0}`, `{1}` …; a number without a value stays as it is written. */
function format(template: string, values: readonly string[]): string | null {
  const parts = template.split(/\{(\d{1,4})\}/)
  return joinTexts(parts.map((part, i) => (i % 2 === 0 ? part : (values[Number(part)] ?? `{${part}}`))))
}
