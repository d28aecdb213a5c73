import { type Piece, piecesOf } from '@svc/expression/contract'

/** What stands in braces. */
export interface Tag {
  /** Where its brace stands in the source. */
  readonly offset: number
  /** Where it ends. */
  readonly end: number
  /** What stands between the braces. */
  readonly inside: string
}

/** A line with nothing but tags, that was taken out of the text. */
export interface TagLine {
  /** Before what of the text it stood. */
  readonly before: number
  /** How many signs of block quotes stood before it. */
  readonly quotes: number
  readonly tags: readonly number[]
}

/** A text that a parser of Markdown can read: each tag is a mark, and lines with nothing but tags are lifted out. */
export interface Marked {
  readonly text: string
  readonly tags: readonly Tag[]
  readonly tagLines: readonly TagLine[]
  /** Whether its author left a line empty, by its number from 0. */
  isEmpty(line: number): boolean
  /** The number of the line at a place of the text. */
  lineAt(offset: number): number
  /** Where a place of the text stands in the source. */
  sourceOf(offset: number): number
  /** What a text of the parser is made of: words, and numbers of tags. */
  cut(text: string): readonly (string | number)[]
}

/** Lifts the tags out of a text. Throws ExpressionError where a brace is left open. */
export function markTags(source: string): Marked {
  const sign = unusedSign(source)
  const flat = flatten(source, sign)
  const lines = readLines(flat, sign)
  const starts: number[] = []
  let text = ''
  for (const { kept } of lines) {
    starts.push(text.length)
    text += `${kept}\n`
  }
  const tagLines = lines.flatMap(({ lifted }, at) =>
    lifted.map(({ quotes, tags }) => ({ before: starts[at]! + (lines[at]?.prefix ?? 0), quotes, tags })),
  )
  const lineAt = (offset: number): number => lastUpTo(starts, offset)
  const mark = new RegExp(`${sign}(\\d+)${sign}`)
  return {
    text,
    tags: flat.tags,
    tagLines,
    isEmpty: (line) => lines[line]?.isEmpty === true,
    lineAt,
    sourceOf(offset) {
      const line = lineAt(offset)
      return flat.sourceOf((lines[line]?.from ?? 0) + offset - (starts[line] ?? 0))
    },
    cut: (written) =>
      written.split(mark).flatMap((piece, at): (string | number)[] => {
        if (at % 2 === 0) return piece === '' ? [] : [piece]
        return Number(piece) < flat.tags.length ? [Number(piece)] : []
      }),
  }
}

/** A private character that the source does not use: no parser gives it a meaning. */
function unusedSign(source: string): string {
  const used = new Set(source)
  let code = 0xe000
  while (used.has(String.fromCodePoint(code))) code = code === 0xf8ff ? 0xf0000 : code + 1
  return String.fromCodePoint(code)
}

interface Flat {
  readonly text: string
  readonly tags: readonly Tag[]
  sourceOf(offset: number): number
}

/** The text with a mark in place of each tag, and braces that were written as braces. */
function flatten(source: string, sign: string): Flat {
  const tags: Tag[] = []
  // Where runs of the text begin, and where that is in the source.
  const [here, there]: [number[], number[]] = [[0], [0]]
  let [text, at] = ['', 0]
  const pieces = piecesOf(source)
  for (const [number, piece] of pieces.entries()) {
    if (piece.kind === 'words') {
      const end = startOf(pieces[number + 1]) ?? source.length
      for (const { 0: written, index } of source.slice(at, end).matchAll(RUN)) {
        here.push(text.length)
        there.push(at + index)
        text += BRACES.get(written) ?? written
      }
      at = end
    } else {
      const end = piece.offset + piece.inside.length + 2
      here.push(text.length)
      there.push(piece.offset)
      text += `${sign}${tags.length}${sign}`
      tags.push({ offset: piece.offset, end, inside: piece.inside })
      at = end
    }
  }
  return {
    text,
    tags,
    sourceOf(offset) {
      const run = lastUpTo(here, offset)
      const [from, to] = [there[run] ?? 0, there[run + 1] ?? source.length]
      return Math.min(from + offset - (here[run] ?? 0), to)
    },
  }
}

const BRACES: ReadonlyMap<string, string> = new Map([
  ['{{', '{'],
  ['\\{', '{'],
  ['}}', '}'],
])

const RUN = /\{\{|\\\{|\}\}|(?:(?!\{\{|\\\{|\}\})[^])+/g

const startOf = (piece: Piece | undefined): number | undefined =>
  piece?.kind === 'braced' ? piece.offset : undefined

interface Line {
  /** Where it begins in the flat text. */
  readonly from: number
  /** What is left of it for the parser. */
  readonly kept: string
  readonly isEmpty: boolean
  /** How long the signs of block quotes at its beginning are. */
  readonly prefix: number
  /** Lines that were taken out before it, or in whose place it stands. */
  readonly lifted: readonly { readonly quotes: number; readonly tags: readonly number[] }[]
}

/**
 * A line with nothing but tags would be a row of a table, or be swallowed by the list item above it. An empty line in its
 * place ends what stands before it, as an author means it; within a table it goes without one.
 */
function readLines(flat: Flat, sign: string): readonly Line[] {
  const raw = flat.text.split('\n')
  const written = raw.map((line) => line.replace(/\r$/, ''))
  const alone = new RegExp(`^((?:[ \\t]*>)*)[ \\t]*((?:${sign}\\d+${sign}[ \\t]*)+)$`)
  const read = (line: string) => {
    const [, quotes = '', marks = ''] = alone.exec(line) ?? []
    const tags = [...marks.matchAll(/\d+/g)].map(([digits]) => Number(digits))
    return tags.length > 0 && tags.every((tag) => BLOCK.test(flat.tags[tag]?.inside ?? ''))
      ? { quotes, tags }
      : undefined
  }
  const tagLines = written.map(read)
  const following = nextOf(tagLines)
  const lines: Line[] = []
  let waiting: Line['lifted'][number][] = []
  let isTable = false
  let from = 0
  for (const [at, line] of written.entries()) {
    const lifted = tagLines[at]
    if (lifted === undefined) {
      const isEmpty = /^[ \t>]*$/.test(line)
      isTable = !isEmpty && (isTable || isDelimiter(line, written[at - 1] ?? ''))
      lines.push({ from, kept: line, isEmpty, prefix: 0, lifted: waiting })
      waiting = []
    } else {
      const entry = { quotes: lifted.quotes.replaceAll(/[^>]/g, '').length, tags: lifted.tags }
      isTable &&= (written[following[at] ?? 0] ?? '').includes('|')
      if (isTable) waiting.push(entry)
      else {
        const prefix = lifted.quotes.length
        lines.push({ from, kept: lifted.quotes, isEmpty: false, prefix, lifted: [...waiting, entry] })
        waiting = []
      }
    }
    from += (raw[at]?.length ?? 0) + 1
  }
  return lines
}

/** Of each line the next one that stays; past the last where there is none. */
function nextOf(lifted: readonly (object | undefined)[]): readonly number[] {
  const next: number[] = []
  for (let at = lifted.length - 1, kept = lifted.length; at >= 0; at--) {
    next[at] = kept
    if (lifted[at] === undefined) kept = at
  }
  return next
}

const BLOCK = /^(?:[#:/]|pageBreak$)/

const isDelimiter = (line: string, above: string): boolean =>
  above.includes('|') &&
  line.includes('-') &&
  /^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/.test(line)

/** The place of the last of ascending numbers that is not past `most`. */
function lastUpTo(ascending: readonly number[], most: number): number {
  let [low, high] = [0, ascending.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (ascending[middle]! <= most) low = middle
    else high = middle - 1
  }
  return low
}
