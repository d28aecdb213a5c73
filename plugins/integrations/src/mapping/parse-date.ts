import { instantAt, isTimeZone, Temporal } from '@svc/automation/contract'
import { readInstant } from '@svc/expression/contract'

/** What each letter of a pattern stands for (UTS 35, date field symbols), as far as dates are read by it. */
const LETTERS: Readonly<Record<string, readonly [part: Part, digits: string]>> = {
  yyyy: ['year', '\\d{4}'],
  yy: ['year', '\\d{2}'],
  MM: ['month', '\\d{2}'],
  M: ['month', '\\d{1,2}'],
  dd: ['day', '\\d{2}'],
  d: ['day', '\\d{1,2}'],
  HH: ['hour', '\\d{2}'],
  H: ['hour', '\\d{1,2}'],
  mm: ['minute', '\\d{2}'],
  m: ['minute', '\\d{1,2}'],
  ss: ['second', '\\d{2}'],
  s: ['second', '\\d{1,2}'],
  S: ['millisecond', '\\d'],
  SS: ['millisecond', '\\d{2}'],
  SSS: ['millisecond', '\\d{3}'],
}
type Part = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'millisecond'

/** Quoted text, a run of one letter, or anything else. */
const PIECES = /'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+/g

interface Reading {
  readonly shape: RegExp
  readonly parts: readonly Part[]
}

/** Reads a pattern; undefined for one with a letter by which nothing is read. */
export function readPattern(pattern: string): Reading | undefined {
  const parts: Part[] = []
  let shape = ''
  for (const [piece, quoted, letter] of pattern.matchAll(PIECES)) {
    const known = letter === undefined ? undefined : LETTERS[piece]
    if (letter !== undefined && known === undefined) return undefined
    if (known === undefined)
      shape += escaped(quoted === undefined ? piece : quoted.replaceAll("''", "'") || "'")
    else {
      parts.push(known[0])
      shape += `(${known[1]})`
    }
  }
  return { shape: new RegExp(`^${shape}$`), parts }
}

const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}/-]/g, '\\$&')

/**
 * A moment as expressions have it: read by a pattern, in a zone; without one as RFC 3339, an HTTP date (RFC 9110) or seconds since 1970
 * have it. Null for what cannot be read.
 */
export function parseDate(text: string, pattern: string | undefined, zone: string): string | null {
  if (!isTimeZone(zone)) return null
  return pattern === undefined ? parseUsual(text.trim()) : parseBy(text.trim(), pattern, zone)
}

/** RFC 9110, section 5.6.7: the preferred form. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

function parseUsual(text: string): string | null {
  const read = readInstant(text)
  if (read !== undefined) return new Date(read.at).toISOString()
  const ms = /^\d{1,11}(?:\.\d{1,9})?$/.test(text)
    ? Math.round(Number(text) * 1000)
    : HTTP_DATE.test(text)
      ? Date.parse(text)
      : NaN
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}

function parseBy(text: string, pattern: string, zone: string): string | null {
  const reading = readPattern(pattern)
  const found = reading?.shape.exec(text)
  if (reading === undefined || !found) return null
  const part = new Map<Part, number>()
  for (const [at, name] of reading.parts.entries()) {
    const digits = found[at + 1] ?? ''
    if (name === 'millisecond') part.set(name, Number(digits.padEnd(3, '0')))
    else if (name === 'year' && digits.length === 2) part.set(name, 2000 + Number(digits))
    else part.set(name, Number(digits))
  }
  const [year = 1970, month = 1, day = 1] = [part.get('year'), part.get('month'), part.get('day')]
  const time = {
    hour: part.get('hour') ?? 0,
    minute: part.get('minute') ?? 0,
    second: part.get('second') ?? 0,
    millisecond: part.get('millisecond') ?? 0,
  }
  try {
    const wall = Temporal.PlainDateTime.from({ year, month, day, ...time }, { overflow: 'reject' })
    return new Date(instantAt(wall, zone)).toISOString()
  } catch {
    return null
  }
}
