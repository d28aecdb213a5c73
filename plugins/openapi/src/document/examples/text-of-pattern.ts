// The package's main module is CommonJS that says another type than it has: its parts are imported by their files.
import { tokenizer } from 'ret/dist/tokenizer.js'
import {
  type Repetition,
  type Set as Characters,
  type SetToken,
  type Token,
  types,
} from 'ret/dist/types/index.js'

/** How many times more than it has to something is repeated, from the shortest text to the longest. */
const SPARE = [0, 1, 2, 4, 8, 16, 32] as const

/** How many parts one text is put together of at most: repetitions inside of repetitions multiply. */
const MAX_PARTS = 5000

/**
 * Texts that match a regular expression, the shortest first; none where it cannot be read. A pattern may say more
 * than is understood here: whoever takes a text checks it.
 */
export function textsOfPattern(pattern: string): readonly string[] {
  const tokens = read(pattern)
  if (tokens === undefined) return []
  const written = SPARE.map((spare) => write(tokens, { spare, left: MAX_PARTS }))
  return [...new Set(written.filter((text) => text !== undefined))]
}

function read(pattern: string): readonly Token[] | undefined {
  try {
    const { stack, options } = tokenizer(pattern)
    return stack ?? options?.[0]
  } catch {
    return undefined
  }
}

interface Writing {
  /** How many times more than it has to something is repeated. */
  readonly spare: number
  /** How many parts there may still be. */
  left: number
}

/** The text of parts in a row; undefined where it gets too long. */
function write(tokens: readonly Token[], writing: Writing): string | undefined {
  let text = ''
  for (const token of tokens) text += one(token, 0, writing)
  return writing.left > 0 ? text : undefined
}

/** The text of one part; `at` counts its repetitions, so that a set of letters gives `ABC` and not `AAA`. */
function one(token: Token, at: number, writing: Writing): string {
  if (writing.left-- <= 0) return ''
  switch (token.type) {
    case types.CHAR:
      return String.fromCodePoint(token.value)
    case types.SET:
      return character(token, at)
    case types.GROUP:
      return token.followedBy || token.notFollowedBy
        ? ''
        : (write(token.stack ?? token.options?.[0] ?? [], writing) ?? '')
    case types.REPETITION:
      return repeated(token, writing)
    case types.POSITION:
    case types.REFERENCE:
      return ''
  }
}

function repeated({ min, max, value }: Repetition, writing: Writing): string {
  const times = Math.min(min + writing.spare, max)
  let text = ''
  for (let index = 0; index < times && writing.left > 0; index++) text += one(value, index, writing)
  return text
}

const LIKELY = Array.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_./@#')

function character(set: Characters, at: number): string {
  const fitting = LIKELY.filter((sign) => isIn(set, sign.codePointAt(0)!))
  const [first] = set.set
  const own = first?.type === types.RANGE ? fitting.filter((sign) => isIn(first, sign.codePointAt(0)!)) : []
  const choice = own.length > 0 && !set.not ? own : fitting
  if (choice.length > 0) return choice[at % choice.length]!
  return first === undefined || first.type === types.SET
    ? ''
    : String.fromCodePoint(first.type === types.RANGE ? first.from : first.value)
}

function isIn(part: SetToken, code: number): boolean {
  if (part.type === types.CHAR) return part.value === code
  if (part.type === types.RANGE) return part.from <= code && code <= part.to
  return part.set.some((inner) => isIn(inner, code)) !== part.not
}
