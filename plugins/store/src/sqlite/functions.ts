import { ARITHMETIC } from '../arithmetic.ts'
import { type CalendarUnit, MAX_TEXT, type ScalarFunction } from '../plan/scalar.ts'
import { round } from '../round.ts'
import { offsetAt, timeZone } from '../time-zone.ts'
import { bound } from './bound.ts'

type Argument = string | number | null
type Result = string | number | boolean | null

/** A function as SQLite calls it. */
export type SqliteFunction = (...args: readonly Argument[]) => Argument

const DAY = 86_400_000
const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')

const part = (read: (date: Date) => number) => (at: number) => (isInRange(at) ? read(new Date(at)) : null)

/** Arguments have the types that plans give them, and none of them is null. */
const FUNCTIONS = {
  ...ARITHMETIC,
  remainder: (a: number, b: number) => (isWhole(a) && isWhole(b) ? a % b : null),
  negate: (a: number) => -a,
  abs: (a: number) => Math.abs(a),
  floor: (a: number) => Math.floor(a),
  ceil: (a: number) => Math.ceil(a),
  truncate: (a: number) => Math.trunc(a),
  round: roundWhole,
  min: (a: number, b: number) => Math.min(a, b),
  max: (a: number, b: number) => Math.max(a, b),
  whole: (a: number) => (Number.isInteger(a) ? a : null),
  lower: (text: string | number) => String(text).toLowerCase(),
  upper: (text: string) => text.toUpperCase(),
  trim: (text: string) => text.trim(),
  length,
  concat: (a: string, b: string) => (a.length + b.length > MAX_TEXT ? null : a + b),
  substring: (text: string, start: number, count: number) =>
    isPosition(start) && isPosition(count)
      ? Array.from(text)
          .slice(start, start + count)
          .join('')
      : null,
  character: (text: string, at: number) => (isPosition(at) ? (Array.from(text)[at] ?? null) : null),
  replace,
  contains: (text: string, part: string) => text.includes(part),
  startsWith: (text: string, part: string) => text.startsWith(part),
  endsWith: (text: string, part: string) => text.endsWith(part),
  instant: (text: string) => Date.parse(text),
  date: (at: number) => written(at)?.slice(0, 10) ?? null,
  datetime: (at: number) => written(at),
  year: part((date) => date.getUTCFullYear()),
  month: part((date) => date.getUTCMonth() + 1),
  day: part((date) => date.getUTCDate()),
  hour: part((date) => date.getUTCHours()),
  addMonths,
} satisfies Record<ScalarFunction, (...args: never[]) => Result>

/** The name that a function has in SQL. */
export const functionName = (name: string): string => `svc_${name}`

/** Every function that a connection needs, by its name in SQL. */
export const SQLITE_FUNCTIONS: ReadonlyMap<string, SqliteFunction> = new Map(
  Object.entries<(...args: never[]) => Result>({
    ...FUNCTIONS,
    digits: String,
    finds,
    findsAny,
    beginningOf,
    bound,
  }).map(([name, evaluate]) => [functionName(name), safely(evaluate)]),
)

/** Null for null, and for a number that is none. SQLite has no booleans. */
function safely(evaluate: (...args: never[]) => Result): SqliteFunction {
  return (...args) => {
    if (args.includes(null)) return null
    const value: Result = Reflect.apply(evaluate, undefined, args)
    if (typeof value === 'boolean') return Number(value)
    return typeof value === 'number' && !Number.isFinite(value) ? null : value
  }
}

/** Whether a text contains a part that is lower-cased already: the lower case of a long one need not go back to SQLite. */
function finds(text: string, part: string): boolean {
  return text.toLowerCase().includes(part)
}

let lastWords = '[]'
let lastParts: readonly string[] = []

/** Whether a text contains any of a list of texts in JSON, in any case. The list is the same row after row. */
function findsAny(text: string, words: string): boolean {
  if (words !== lastWords) {
    lastParts = (JSON.parse(words) as readonly string[]).map((word) => word.toLowerCase())
    lastWords = words
  }
  const lower = text.toLowerCase()
  return lastParts.some((part) => lower.includes(part))
}

const isWhole = (x: number): boolean => Number.isInteger(x) && Math.abs(x) <= 2 ** 53
const isPosition = (x: number): boolean => Number.isInteger(x) && x >= 0

function roundWhole(x: number, digits: number): number | null {
  return Number.isInteger(digits) ? round(x, digits) : null
}

/** A surrogate pair is one character. */
function length(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** The length is known before the text is made: a text can grow a million times. */
function replace(text: string, from: string, to: string): string | null {
  if (from === '') return text
  const parts = text.split(from)
  const length = text.length + (parts.length - 1) * (to.length - from.length)
  return length > MAX_TEXT ? null : parts.join(to)
}

const isInRange = (at: number): boolean => at >= EARLIEST && at <= LATEST

const written = (at: number): string | null => (isInRange(at) ? new Date(at).toISOString() : null)

const HOUR = 3_600_000

/** The beginning of a calendar unit, of an hour as a datetime and of others as a date, by the clocks of a zone. */
function beginningOf(unit: CalendarUnit, at: number, zone?: string): string | null {
  const offset = zone === undefined ? 0 : offsetAt(timeZone(zone), at)
  const local = at + offset
  if (!isInRange(at) || !isInRange(local)) return null
  if (unit === 'hour') return written(Math.floor(local / HOUR) * HOUR - offset)
  const date = new Date(local)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  if (unit === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
  else if (unit !== 'day') date.setUTCFullYear(year, FIRST_MONTH[unit](month), 1)
  return date.toISOString().slice(0, 10)
}

/** The month with which the unit of a month begins; both count from 0. */
const FIRST_MONTH = {
  month: (month: number) => month,
  quarter: (month: number) => month - (month % 3),
  year: () => 0,
} as const

function addMonths(at: number, months: number): number | null {
  if (!isWhole(months) || !isInRange(at)) return null
  const first = new Date(at)
  first.setUTCDate(1)
  first.setUTCMonth(first.getUTCMonth() + months)
  const year = first.getUTCFullYear()
  if (!(year >= 1 && year <= 9999)) return null
  const next = new Date(first)
  next.setUTCMonth(next.getUTCMonth() + 1)
  const days = Math.round((next.getTime() - first.getTime()) / DAY)
  return first.setUTCDate(Math.min(new Date(at).getUTCDate(), days))
}
