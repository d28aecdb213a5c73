import type { Value } from '@svc/store/contract'

/** `{path}`, and the three ways to write a brace that begins or ends nothing. */
const PARTS = /\\\{|\{\{|\}\}|\{([A-Za-z_]\w*(?:\.\w+)*)\}/g

/** The value of a path; undefined and null become nothing. */
export type ValueOf = (path: string) => Value | undefined

/**
 * Fills `{path}` in a text, in one pass: what a value holds is never read again. `{{`, `}}` and `\{` write braces;
 * anything else in braces stays as it is.
 */
export const interpolate = (text: string, valueOf: ValueOf): string => read(text)(valueOf)

/** Fills a text that was read before. */
export type CompiledText = (valueOf: ValueOf) => string

const compiled = new Map<string, CompiledText>()

/** Whoever makes texts up, instead of their values, must not fill the memory. */
const MOST_COMPILED = 2000

/** Reads a text once, however often it is filled; the same that `interpolate` makes of it. */
export function compileText(text: string): CompiledText {
  const known = compiled.get(text)
  if (known !== undefined) return known
  if (compiled.size >= MOST_COMPILED) compiled.clear()
  const made = read(text)
  compiled.set(text, made)
  return made
}

/** What stands between two paths, and the path after it; the last piece has none. */
interface Piece {
  readonly words: string
  readonly path: string | undefined
}

function read(text: string): CompiledText {
  const pieces = piecesOf(text)
  return (valueOf) => {
    let filled = ''
    for (const { words, path } of pieces)
      filled += path === undefined ? words : words + wordsOf(valueOf(path) ?? null)
    return filled
  }
}

function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let [words, end] = ['', 0]
  for (const { 0: part, 1: path, index } of text.matchAll(PARTS)) {
    words += text.slice(end, index)
    end = index + part.length
    if (path === undefined) words += part.slice(-1)
    else {
      pieces.push({ words, path })
      words = ''
    }
  }
  return [...pieces, { words: words + text.slice(end), path: undefined }]
}

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
