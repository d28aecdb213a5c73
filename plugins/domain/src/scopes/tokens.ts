import { isCleanText } from '@svc/kernel'
import { errorAt, ExpressionError, LIMITS } from '@svc/expression/contract'

/** A piece of a filter. Words and signs are told apart by `kind`; `word` is a word in lower case, else ''. */
export interface ScopeToken {
  readonly kind: 'name' | 'text' | 'number' | 'placeholder' | 'sign' | 'end'
  /** A name without its quotes, a text unescaped, a placeholder without its colon. */
  readonly text: string
  readonly word: string
  /** UTF-16 units of the filter before it. */
  readonly offset: number
}

/** What can start at a place, tried in this order. */
const PIECES: readonly (readonly [ScopeToken['kind'] | 'space', RegExp])[] = [
  ['space', /\s+/y],
  ['name', /[A-Za-z_][A-Za-z0-9_]*/y],
  // A name in double quotes; two of them are one.
  ['name', /"(?:[^"]|"")+"/y],
  // A text in single quotes; two of them are one.
  ['text', /'(?:[^']|'')*'/y],
  ['number', /(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?(?![A-Za-z0-9_.])/y],
  ['placeholder', /:[A-Za-z_][A-Za-z0-9_]*/y],
  // Two dashes start a comment, and are no sign.
  ['sign', /<>|!=|<=|>=|\|\||-(?!-)|\/(?!\*)|[=<>+*%(),]/y],
]

/** Cuts a filter into pieces. Throws ExpressionError where one cannot be read. */
export function tokenizeScope(filter: string): readonly ScopeToken[] {
  if (filter.length > LIMITS.characters) {
    throw new ExpressionError([
      errorAt(LIMITS.characters, `a filter has ${LIMITS.characters} characters at most`),
    ])
  }
  const tokens: ScopeToken[] = []
  for (let offset = 0; offset < filter.length;) {
    const [kind, found] = pieceAt(filter, offset)
    if (kind !== 'space') tokens.push(tokenOf(kind, found, offset))
    offset += found.length
  }
  return [...tokens, { kind: 'end', text: '', word: '', offset: filter.length }]
}

function pieceAt(filter: string, offset: number): readonly [ScopeToken['kind'] | 'space', string] {
  for (const [kind, pattern] of PIECES) {
    pattern.lastIndex = offset
    const found = pattern.exec(filter)?.[0]
    if (found !== undefined) return [kind, found]
  }
  const found = String.fromCodePoint(filter.codePointAt(offset) ?? 0)
  throw new ExpressionError([errorAt(offset, `'${found}' cannot be read in a filter`, HINTS.get(found))])
}

const HINTS: ReadonlyMap<string, string> = new Map([
  [';', 'a filter is one condition'],
  ['-', 'a filter has no comments'],
  ['/', 'a filter has no comments'],
  ["'", "close the text with '"],
  ['"', 'close the name with "'],
  [':', 'a placeholder is :currentUserId or :currentUserDepartmentId'],
])

function tokenOf(kind: ScopeToken['kind'], found: string, offset: number): ScopeToken {
  const quoted = found.startsWith('"') || found.startsWith("'")
  const quote = found.slice(0, 1)
  const text = quoted
    ? found.slice(1, -1).replaceAll(quote + quote, quote)
    : kind === 'placeholder'
      ? found.slice(1)
      : found
  if (!isCleanText(text)) {
    throw new ExpressionError([errorAt(offset, 'a text has a NUL or half a character', 'leave it out')])
  }
  return {
    kind,
    text,
    word: kind === 'name' && !quoted ? found.toLowerCase() : kind === 'sign' ? found : '',
    offset,
  }
}
