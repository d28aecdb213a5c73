import type { Value } from '@svc/store/contract'
import { type EndOf, scan } from './text/scan.ts'
import { wordsOf } from './words.ts'

/** The value of a path; undefined and null become nothing. */
export type ValueOf = (path: string) => Value | undefined

/**
 * Fills `{path}` in a text, in one pass: what a value holds is never read again. It is the text language without
 * expressions: `{{`, `}}` and `\{` write braces; anything else in braces stays as it is.
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

function read(text: string): CompiledText {
  const pieces = scan(text, endOfPath)
  return (valueOf) => {
    let filled = ''
    for (const piece of pieces)
      filled += piece.kind === 'words' ? piece.text : wordsOf(valueOf(piece.inside) ?? null)
    return filled
  }
}

const PATH = /\{[A-Za-z_]\w*(?:\.\w+)*\}/y

const endOfPath: EndOf = (source, offset) => {
  PATH.lastIndex = offset
  return PATH.test(source) ? PATH.lastIndex - 1 : undefined
}

/** The paths that stand in braces in a text, in its order. */
export const placeholdersOf = (text: string): readonly string[] =>
  scan(text, endOfPath).flatMap((piece) => (piece.kind === 'braced' ? piece.inside : []))

/** A value by its path among `values`, whose names may have dots. */
export const among =
  (values: Readonly<Record<string, Value>>): ValueOf =>
  (path) =>
    Object.hasOwn(values, path) ? values[path] : undefined
