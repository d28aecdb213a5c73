import { isCleanText } from '@svc/kernel'
import { errorAt, ExpressionError } from '../fault.ts'
import { canonical } from './operators.ts'

/** A piece of source text. `text` is a text's value, a variable's name without `$`, otherwise as written. */
export interface Token {
  readonly kind: 'number' | 'text' | 'variable' | 'word' | 'sign' | 'end'
  readonly text: string
  /** The canonical spelling of a word or sign; '' for other tokens. */
  readonly sign: string
  readonly offset: number
}

/** Cuts an expression into tokens, the last of them of kind `end`. Throws ExpressionError. */
export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = []
  for (let offset = skipSpace(source, 0); offset < source.length;) {
    const [token, end] = read(source, offset)
    tokens.push(token)
    offset = skipSpace(source, end)
  }
  tokens.push({ kind: 'end', text: '', sign: '', offset: source.length })
  return tokens
}

function skipSpace(source: string, from: number): number {
  let offset = from
  while (SPACE.has(source[offset] ?? '')) offset++
  return offset
}

const SPACE: ReadonlySet<string> = new Set([' ', '\t', '\r', '\n'])

type Read = readonly [token: Token, end: number]

/** The first character decides what kind of token it is. */
function read(source: string, offset: number): Read {
  const first = source[offset] ?? ''
  if (first === '$') return readVariable(source, offset)
  if (first === "'" || first === '"') return readText(source, offset)
  if (isDigit(first)) return readNumber(source, offset)
  return isLetter(first) ? readWord(source, offset) : readSign(source, offset)
}

const isDigit = (character: string): boolean => character >= '0' && character <= '9'

const isLetter = (character: string): boolean =>
  (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') || character === '_'

function readWord(source: string, offset: number): Read {
  const end = endOfWord(source, offset)
  const text = source.slice(offset, end)
  return [{ kind: 'word', text, sign: canonical(text), offset }, end]
}

function readVariable(source: string, offset: number): Read {
  const end = endOfWord(source, offset + 1)
  const text = source.slice(offset + 1, end)
  if (!isLetter(text[0] ?? '')) throw unreadable(source, offset)
  return [{ kind: 'variable', text, sign: '', offset }, end]
}

function endOfWord(source: string, from: number): number {
  let end = from
  for (let next = source[end] ?? ''; isLetter(next) || isDigit(next); next = source[end] ?? '') end++
  return end
}

const NUMBER = /\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y

function readNumber(source: string, offset: number): Read {
  NUMBER.lastIndex = offset
  const text = NUMBER.exec(source)?.[0] ?? ''
  return [{ kind: 'number', text, sign: '', offset }, offset + text.length]
}

function readText(source: string, offset: number): Read {
  const quote = source[offset]
  let end = offset + 1
  while (end < source.length && source[end] !== quote) end += source[end] === '\\' ? 2 : 1
  if (end >= source.length) throw unreadable(source, offset)
  return [{ kind: 'text', text: unescape(source.slice(offset + 1, end), offset), sign: '', offset }, end + 1]
}

const SIGNS: ReadonlySet<string> = new Set(
  '?? || && == != <> <= >= - + * / % = < > ! ? : . , ( ) [ ] |'.split(' '),
)

function readSign(source: string, offset: number): Read {
  const two = source.slice(offset, offset + 2)
  const text = SIGNS.has(two) ? two : two.slice(0, 1)
  if (!SIGNS.has(text)) throw unreadable(source, offset)
  return [{ kind: 'sign', text, sign: canonical(text), offset }, offset + text.length]
}

const ESCAPE = /\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|([^]))/g
const ESCAPED: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
])

/** A backslash before any other character stays, so that patterns such as '^\d+$' read as they are written. */
function unescape(inside: string, offset: number): string {
  const text = inside.includes('\\')
    ? inside.replace(ESCAPE, (whole, braced?: string, four?: string, single?: string) => {
        if (single !== undefined) return ESCAPED.get(single) ?? whole
        return character(Number.parseInt(braced ?? four ?? '', 16), offset)
      })
    : inside
  if (isCleanText(text)) return text
  throw new ExpressionError([errorAt(offset, 'a text has a NUL or half a character', 'leave it out')])
}

/** A UTF-16 unit may be written alone, since two of them together make a character. */
function character(code: number, offset: number): string {
  if (code <= 0x10ffff) return code <= 0xffff ? String.fromCharCode(code) : String.fromCodePoint(code)
  throw new ExpressionError([errorAt(offset, 'a text names a character past \\u{10FFFF}')])
}

const HINTS: ReadonlyMap<string, string> = new Map([
  ["'", "close the text with '"],
  ['"', 'close the text with "'],
  ['&', "write 'and' or '&&'"],
  ['$', 'a name follows $, as in $user'],
])

function unreadable(source: string, offset: number): ExpressionError {
  const found = String.fromCodePoint(source.codePointAt(offset) ?? 0)
  return new ExpressionError([errorAt(offset, `'${found}' cannot be read here`, HINTS.get(found))])
}
