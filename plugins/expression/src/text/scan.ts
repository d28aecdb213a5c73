/** A piece of a text: words, or what stands in braces. Offsets count UTF-16 units from 0. */
export type Piece = Words | Braced

export interface Words {
  readonly kind: 'words'
  readonly text: string
}

/** What stands between a brace and the one that closes it. */
export interface Braced {
  readonly kind: 'braced'
  readonly inside: string
  /** Where its brace stands; what is inside follows it. */
  readonly offset: number
}

/**
 * Where what begins with the brace at `offset` ends: the offset of its closing brace. Undefined where the brace begins
 * nothing and is itself. It may throw.
 */
export type EndOf = (source: string, offset: number) => number | undefined

/** Cuts a text into its pieces, in one pass. `{{`, `}}` and `\{` write braces; a brace that begins nothing is itself. */
export function scan(source: string, endOf: EndOf): readonly Piece[] {
  const pieces: Piece[] = []
  let [words, from] = ['', 0]
  const brace = (offset: number, skip: number, written: string) => {
    words += source.slice(from, offset) + written
    from = offset + skip
  }
  for (let at = nextSign(source, 0); at < source.length; at = nextSign(source, Math.max(from, at + 1))) {
    const two = source.slice(at, at + 2)
    if (two === '{{' || two === '\\{') brace(at, 2, '{')
    else if (two === '}}') brace(at, 2, '}')
    else if (source[at] === '{') {
      const end = endOf(source, at)
      if (end === undefined) continue
      brace(at, end + 1 - at, '')
      if (words !== '') pieces.push({ kind: 'words', text: words })
      words = ''
      pieces.push({ kind: 'braced', inside: source.slice(at + 1, end), offset: at })
    }
  }
  words += source.slice(from)
  if (words !== '') pieces.push({ kind: 'words', text: words })
  return pieces
}

/** The next place where a brace may be written, or the text's end. */
function nextSign(source: string, from: number): number {
  SIGN.lastIndex = from
  return SIGN.exec(source)?.index ?? source.length
}

const SIGN = /[{}\\]/g
