import type { Words } from './words.ts'

/** Reads what is listed with commas and `and`. */
export function listOf<T>(words: Words, item: () => T): readonly T[] {
  const items = [item()]
  for (;;) {
    const comma = words.take('comma') !== undefined
    const and = words.accept('and')
    if (!comma && !and) return items
    items.push(item())
  }
}

/** `Monday, Tuesday and Friday`. */
export const listed = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
