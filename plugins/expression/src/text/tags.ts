import { nearest } from '@svc/kernel'
import { errorAt, ExpressionError } from '../fault.ts'
import { type Braced, type EndOf, type Piece, scan } from './scan.ts'

/** What stands in braces, by how it begins. `source` is an expression, and `at` its place in the text. */
export interface Tags {
  readonly value: { readonly source: string; readonly at: number }
  readonly each: { readonly source: string; readonly at: number; readonly as: string | undefined }
  readonly if: { readonly source: string; readonly at: number }
  readonly elseIf: { readonly source: string; readonly at: number }
  readonly else: object
  readonly endEach: object
  readonly endIf: object
  readonly unknown: { readonly written: string; readonly meant: string | undefined }
}

/** A tag, and where its brace stands. */
export type Placed<K extends keyof Tags = keyof Tags> = {
  readonly [Kind in K]: Tags[Kind] & { readonly kind: Kind; readonly offset: number }
}[K]

const BLOCKS = ['#each', '#if', ':else', '/each', '/if']

/** A placeholder begins with what an expression most often begins with; a block with its sign and word. */
const BEGINS = /\{(?:[A-Za-z_(]|\$[A-Za-z_(]|([#:/][A-Za-z]+))/y

/** Cuts a text into words and what stands in braces. Throws ExpressionError where a brace is left open. */
export const piecesOf = (source: string): readonly Piece[] => scan(source, endOfTag)

/** Finds the end of what a brace begins; one that begins neither a value nor a block is itself. Throws where it is left open. */
const endOfTag: EndOf = (source, offset) => {
  BEGINS.lastIndex = offset
  const begun = BEGINS.exec(source)
  if (begun === null) return undefined
  const [, block] = begun
  if (block !== undefined && !BLOCKS.includes(block) && nearest(block, BLOCKS) === undefined) return undefined
  const end = closingBrace(source, offset)
  if (end !== undefined) return end
  throw new ExpressionError([
    errorAt(offset, 'a brace is left open', 'close it by }, or write {{ for a brace'),
  ])
}

/** The brace that closes what begins at `offset`: one within quotes closes nothing. */
function closingBrace(source: string, offset: number): number | undefined {
  let quote: string | undefined
  for (let at = offset + 1; at < source.length; at++) {
    const sign = source[at]
    if (quote === undefined && sign === '}') return at
    if (quote !== undefined && sign === '\\') at++
    else if (sign === quote) quote = undefined
    else if (quote === undefined && (sign === "'" || sign === '"')) quote = sign
  }
  return undefined
}

/** Tells what stands in braces. */
export function readTag({ inside, offset }: Braced): Placed {
  const [written = ''] = /^[#:/][A-Za-z]+/.exec(inside) ?? []
  if (written === '') return { kind: 'value', offset, source: inside, at: offset + 1 }
  const source = inside.slice(written.length)
  const at = offset + 1 + written.length
  if (written === '#each') return eachTag(source, at, offset)
  if (written === '#if') return { kind: 'if', offset, source, at }
  const [elseIf] = written === ':else' ? (/^\s+if\b/.exec(source) ?? []) : []
  if (elseIf !== undefined)
    return { kind: 'elseIf', offset, source: source.slice(elseIf.length), at: at + elseIf.length }
  const isBare = source.trim() === ''
  if (isBare && written === ':else') return { kind: 'else', offset }
  if (isBare && written === '/each') return { kind: 'endEach', offset }
  if (isBare && written === '/if') return { kind: 'endIf', offset }
  const meant = nearest(written, BLOCKS)
  return { kind: 'unknown', offset, written: `{${inside.slice(0, 40)}}`, meant: meant && `{${meant}}` }
}

function eachTag(source: string, at: number, offset: number): Placed<'each'> {
  const named = /\sas\s+([A-Za-z_]\w*)\s*$/.exec(source)
  const list = named === null ? source : source.slice(0, named.index)
  return { kind: 'each', offset, source: list, at, as: named?.[1] }
}
