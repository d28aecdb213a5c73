import type { Value } from '@svc/store/contract'
import { isList } from './values/kind.ts'
import { TEXT_LIMITS } from './text/limits.ts'

/**
 * A value as it stands in a text: null is nothing, items are joined by commas, an object is JSON. Lists may hold one long
 * text many times over: what grows past the length of a text is cut and ends in `…`.
 */
export function wordsOf(value: Value, separator = ', '): string {
  if (!isList(value)) return scalarWords(value)
  const words = new Words()
  words.addAll(value, separator)
  return words.text
}

/** A text that is put together until it is full. */
class Words {
  text = ''
  #isFull = false

  addAll(values: readonly Value[], separator: string): void {
    for (let at = 0; at < values.length && !this.#isFull; at += 1) {
      if (at > 0) this.#add(separator)
      const one = values[at]!
      if (isList(one)) this.addAll(one, ', ')
      else this.#add(scalarWords(one))
    }
  }

  #add(words: string): void {
    if (this.#isFull) return
    this.#isFull = this.text.length + words.length > TEXT_LIMITS.bytes
    this.text += this.#isFull ? '…' : words
  }
}

const scalarWords = (value: Value): string => {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
