import type { Value } from '@svc/store/contract'
import { isList } from './values/kind.ts'
import { TEXT_LIMITS } from './text/limits.ts'

/**
 * A value as it stands in a text: null is nothing, items are joined by commas, an object is JSON. Lists may hold one long
 * text many times over: what grows past the length of a text is cut and ends in `…`.
 */
export function wordsOf(value: Value, separator = ', '): string {
  if (!isList(value)) return scalarWords(value)
  let words = ''
  for (const part of partsOf(value, separator)) {
    if (words.length + part.length > TEXT_LIMITS.bytes) return `${words}…`
    words += part
  }
  return words
}

function* partsOf(value: Value, separator: string): Generator<string> {
  if (!isList(value)) {
    yield scalarWords(value)
    return
  }
  for (const [at, one] of value.entries()) {
    if (at > 0) yield separator
    yield* partsOf(one, ', ')
  }
}

const scalarWords = (value: Value): string => {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
