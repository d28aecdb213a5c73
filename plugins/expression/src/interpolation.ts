import type { Value } from '@svc/store/contract'

/** `{path}`, and the three ways to write a brace that begins or ends nothing. */
const PARTS = /\\\{|\{\{|\}\}|\{([A-Za-z_]\w*(?:\.\w+)*)\}/g

/** The value of a path; undefined and null become nothing. */
export type ValueOf = (path: string) => Value | undefined

/**
 * Fills `{path}` in a text, in one pass: what a value holds is never read again. `{{`, `}}` and `\{` write braces;
 * anything else in braces stays as it is.
 */
export const interpolate = (text: string, valueOf: ValueOf): string =>
  text.replace(PARTS, (part, path: string | undefined) =>
    path === undefined ? part.slice(-1) : wordsOf(valueOf(path) ?? null),
  )

/** The paths that stand in braces in a text, in its order. */
export const placeholdersOf = (text: string): readonly string[] =>
  [...text.matchAll(PARTS)].flatMap(([, path]) => path ?? [])

/** A value by its path among `values`, whose names may have dots. */
export const among =
  (values: Readonly<Record<string, Value>>): ValueOf =>
  (path) =>
    Object.hasOwn(values, path) ? values[path] : undefined

/** A value as it stands in a text: null is nothing, items are joined by commas. */
export function wordsOf(value: Value): string {
  if (value === null) return ''
  if (Array.isArray(value)) return value.map(wordsOf).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
