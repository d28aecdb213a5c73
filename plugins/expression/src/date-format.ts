import { exceeded } from './exceeded.ts'
import { LIMITS } from './limits.ts'

/**
 * Writes a date in UTC after a pattern of Unicode letters (UTS 35, date field symbols) with English names.
 * Null where a letter means nothing or the result is too long.
 */
export function formatDate(date: Date, pattern: string): string | null {
  let text = ''
  for (const [piece, quoted, letter] of pattern.matchAll(PIECES)) {
    const part = letter === undefined ? unquoted(quoted ?? piece) : FIELDS.get(letter)?.(date, piece.length)
    if (part === undefined) return null
    if (text.length + part.length > LIMITS.text) return exceeded()
    text += part
  }
  return text
}

/** The first letters of a pattern that mean nothing, if there are some. */
export function unreadableLetters(pattern: string): string | undefined {
  for (const [piece, , letter] of pattern.matchAll(PIECES)) {
    if (letter !== undefined && FIELDS.get(letter)?.(EPOCH, piece.length) === undefined) return piece
  }
  return undefined
}

const EPOCH = new Date(0)

/** Quoted text, a run of one letter, or anything else. */
const PIECES = /'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+|'/g

/** Two quotes are one quote, inside quoted text and outside, where they look like quoted nothing. */
const unquoted = (text: string): string => (text === '' ? "'" : text.replaceAll("''", "'"))

type Field = (date: Date, count: number) => string | undefined

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September']
const MONTH_NAMES = [...MONTHS, 'October', 'November', 'December']
const DAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

const padded = (value: number, count: number): string => String(value).padStart(count, '0')

/** A number with as many digits as there are letters, two at most. */
const number =
  (read: (date: Date) => number): Field =>
  (date, count) =>
    count > 2 ? undefined : padded(read(date), count)

/** Three letters: short; four: in full; five: the initial. */
const named = (name: string | undefined, count: number): string | undefined =>
  count > 5 ? undefined : count === 5 ? name?.slice(0, 1) : count === 4 ? name : name?.slice(0, 3)

const monthField: Field = (date, count) =>
  count <= 2 ? padded(date.getUTCMonth() + 1, count) : named(MONTH_NAMES[date.getUTCMonth()], count)

const quarter = (date: Date): number => Math.floor(date.getUTCMonth() / 3) + 1

const dayOfYear = (date: Date): number => {
  const newYear = new Date(date)
  newYear.setUTCMonth(0, 1)
  return Math.round((date.getTime() - newYear.getTime()) / 86_400_000) + 1
}

const FIELDS: ReadonlyMap<string, Field> = new Map<string, Field>([
  ['y', yearField],
  ['u', yearField],
  [
    'Q',
    (date, count) =>
      count <= 2 ? padded(quarter(date), count) : count === 3 ? `Q${quarter(date)}` : undefined,
  ],
  ['M', monthField],
  ['L', monthField],
  ['d', number((date) => date.getUTCDate())],
  ['D', (date, count) => (count > 3 ? undefined : padded(dayOfYear(date), count))],
  ['E', (date, count) => named(DAY_NAMES[date.getUTCDay()], count)],
  ['a', (date, count) => (count > 3 ? undefined : date.getUTCHours() < 12 ? 'AM' : 'PM')],
  ['H', number((date) => date.getUTCHours())],
  ['h', number((date) => date.getUTCHours() % 12 || 12)],
  ['K', number((date) => date.getUTCHours() % 12)],
  ['k', number((date) => date.getUTCHours() || 24)],
  ['m', number((date) => date.getUTCMinutes())],
  ['s', number((date) => date.getUTCSeconds())],
  [
    'S',
    (date, count) =>
      count > 9 ? undefined : padded(date.getUTCMilliseconds(), 3).padEnd(9, '0').slice(0, count),
  ],
  ['X', (_, count) => (count > 5 ? undefined : 'Z')],
  ['x', (_, count) => (count > 5 ? undefined : count === 1 ? '+00' : count % 2 === 0 ? '+0000' : '+00:00')],
  ['Z', (_, count) => (count <= 3 ? '+0000' : count === 4 ? 'GMT' : count === 5 ? 'Z' : undefined)],
  ['z', (_, count) => (count > 4 ? undefined : 'UTC')],
])

/** Two letters cut the year to two digits; otherwise letters are the least number of digits. */
function yearField(date: Date, count: number): string | undefined {
  const year = date.getUTCFullYear()
  return count > 9 ? undefined : count === 2 ? padded(year % 100, 2) : padded(year, count)
}
