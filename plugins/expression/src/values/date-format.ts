import { exceeded } from './exceeded.ts'
import { LIMITS } from '../limits.ts'

/** What else is said of a date that is written: the reader's locale, and how far the clock is before UTC's. */
export interface Surroundings {
  /** A tag of BCP 47: month and day names are its. */
  readonly locale: string
  /** Minutes. */
  readonly offset: number
}

const ENGLISH: Surroundings = Object.freeze({ locale: 'en', offset: 0 })

/**
 * Writes a date, of which the parts in UTC count, after a pattern of Unicode letters (UTS 35, date field symbols). Null
 * where a letter means nothing or the result is too long.
 */
export function formatDate(date: Date, pattern: string, around = ENGLISH): string | null {
  let text = ''
  for (const [piece, quoted, letter] of pattern.matchAll(PIECES)) {
    const part =
      letter === undefined ? unquoted(quoted ?? piece) : FIELDS.get(letter)?.(date, piece.length, around)
    if (part === undefined) return null
    if (text.length + part.length > LIMITS.text) return exceeded()
    text += part
  }
  return text
}

/** The first letters of a pattern that mean nothing, if there are some. */
export function unreadableLetters(pattern: string): string | undefined {
  for (const [piece, , letter] of pattern.matchAll(PIECES)) {
    if (letter !== undefined && FIELDS.get(letter)?.(EPOCH, piece.length, ENGLISH) === undefined) return piece
  }
  return undefined
}

const EPOCH = new Date(0)

/** Quoted text, a run of one letter, or anything else. */
const PIECES = /'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+|'/g

/** Two quotes are one quote, inside quoted text and outside, where they look like quoted nothing. */
const unquoted = (text: string): string => (text === '' ? "'" : text.replaceAll("''", "'"))

type Field = (date: Date, count: number, around: Surroundings) => string | undefined

const padded = (value: number, count: number): string => String(value).padStart(count, '0')

/** A number with as many digits as there are letters, two at most. */
const number =
  (read: (date: Date) => number): Field =>
  (date, count) =>
    count > 2 ? undefined : padded(read(date), count)

/** Three letters: short; four: in full; five: the initial. */
const WIDTHS = ['short', 'long', 'narrow'] as const

const writers = new Map<string, Intl.DateTimeFormat>()

/** The name of a month or a day in a locale. */
function named(part: 'month' | 'weekday', date: Date, count: number, locale: string): string | undefined {
  const width = WIDTHS[Math.max(0, count - 3)]
  if (width === undefined) return undefined
  const key = `${locale} ${part} ${width}`
  const writer =
    writers.get(key) ??
    new Intl.DateTimeFormat(locale, { timeZone: 'UTC', calendar: 'gregory', [part]: width, ...NUMBERS })
  writers.set(key, writer)
  return writer.format(date)
}

const NUMBERS = { numberingSystem: 'latn' } as const

const monthField: Field = (date, count, { locale }) =>
  count <= 2 ? padded(date.getUTCMonth() + 1, count) : named('month', date, count, locale)

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
  ['E', (date, count, { locale }) => named('weekday', date, count, locale)],
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
  ['X', (_, count, { offset }) => (offset === 0 ? (count > 5 ? undefined : 'Z') : offsetText(offset, count))],
  ['x', (_, count, { offset }) => offsetText(offset, count)],
  [
    'Z',
    (_, count, { offset }) =>
      count <= 3
        ? offsetText(offset, 2)
        : count === 4
          ? `GMT${offset === 0 ? '' : offsetText(offset, 3)}`
          : count === 5
            ? offset === 0
              ? 'Z'
              : offsetText(offset, 3)
            : undefined,
  ],
  [
    'z',
    (_, count, { offset }) => (count > 4 ? undefined : offset === 0 ? 'UTC' : `GMT${offsetText(offset, 3)}`),
  ],
])

/** Two letters cut the year to two digits; otherwise letters are the least number of digits. */
function yearField(date: Date, count: number): string | undefined {
  const year = date.getUTCFullYear()
  return count > 9 ? undefined : count === 2 ? padded(year % 100, 2) : padded(year, count)
}

/** One letter: hours, and minutes where there are some; two and four: `+hhmm`; three and five: `+hh:mm`. */
function offsetText(offset: number, count: number): string | undefined {
  if (count > 5) return undefined
  const size = Math.abs(offset)
  const [hours, minutes] = [padded(Math.floor(size / 60), 2), padded(size % 60, 2)]
  const sign = offset < 0 ? '-' : '+'
  if (count === 1) return `${sign}${hours}${minutes === '00' ? '' : minutes}`
  return `${sign}${hours}${count % 2 === 0 ? '' : ':'}${minutes}`
}
