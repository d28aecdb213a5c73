import type { Piece, Words } from './scan.ts'

/** Whether a piece is a tag of a block. */
const isBlock = (piece: Piece | undefined): boolean => piece?.kind === 'braced' && /^[#:/]/.test(piece.inside)

/** Takes away what is left of lines with nothing but tags of blocks: the blanks around them, and the line's end. */
export function withoutTagLines(pieces: readonly Piece[]): readonly Piece[] {
  const trims = new Map<Piece, { from?: number; to?: number }>()
  const trim = (piece: Words, part: { from?: number; to?: number }) =>
    trims.set(piece, { ...trims.get(piece), ...part })
  for (let at = 0; at < pieces.length; at++) {
    if (!isBlock(pieces[at])) continue
    const last = endOfRun(pieces, at)
    const [before, after] = [pieces[at - 1], pieces[last + 1]]
    const start = before === undefined ? 0 : startOfLine(before, at === 1)
    const end = after === undefined ? 0 : endOfLine(after, last + 2 === pieces.length)
    if (start !== undefined && end !== undefined) {
      if (before?.kind === 'words') trim(before, { to: start })
      if (after?.kind === 'words') trim(after, { from: end })
      for (const piece of pieces.slice(at, last)) if (piece.kind === 'words') trim(piece, { to: 0 })
    }
    at = last
  }
  return pieces.flatMap((piece) => {
    const cut = trims.get(piece)
    if (piece.kind !== 'words' || cut === undefined) return [piece]
    const { from = 0, to = piece.text.length } = cut
    return to <= from ? [] : [{ ...piece, text: piece.text.slice(from, to) }]
  })
}

/** The last tag of those that stand on one line with nothing but blanks between them. */
function endOfRun(pieces: readonly Piece[], first: number): number {
  let last = first
  for (;;) {
    const next = pieces[last + 1]
    if (isBlock(next)) last += 1
    else if (next?.kind === 'words' && isBlank(next.text) && isBlock(pieces[last + 2])) last += 2
    else return last
  }
}

const BLANKS: ReadonlySet<string> = new Set([' ', '\t'])

const isBlank = (text: string): boolean => /^[ \t]*$/.test(text)

/** Where the line begins that words end with, if nothing but blanks stands on it; the first words begin one. */
function startOfLine(piece: Piece, isFirst: boolean): number | undefined {
  if (piece.kind !== 'words') return undefined
  const { text } = piece
  let at = text.length
  while (at > 0 && BLANKS.has(text[at - 1] ?? '')) at--
  return text[at - 1] === '\n' || (at === 0 && isFirst) ? at : undefined
}

/** Where the line ends that words begin with, its end included, if nothing but blanks stands on it. */
function endOfLine(piece: Piece, isLast: boolean): number | undefined {
  if (piece.kind !== 'words') return undefined
  const { text } = piece
  let at = 0
  while (BLANKS.has(text[at] ?? '')) at++
  if (text.startsWith('\r\n', at)) return at + 2
  if (text[at] === '\n') return at + 1
  return at === text.length && isLast ? at : undefined
}
