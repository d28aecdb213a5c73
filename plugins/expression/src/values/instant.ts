import type { CalendarUnit, Value } from '@svc/store/contract'

/** A point in time; a date alone is its midnight in UTC. */
export interface Instant {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly at: number
  readonly dateOnly: boolean
}

/** Milliseconds of one day. */
export const DAY = 86_400_000
/** Milliseconds of one hour. */
export const HOUR = 3_600_000

const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')

const SHAPE = /^(\d{4}-\d\d-\d\d)(?:[Tt](\d\d:\d\d:)(\d\d(?:\.\d{1,9})?)([Zz]|[-+]\d\d:\d\d))?$/

/** Reads a full-date or date-time of RFC 3339, section 5.6; undefined for any other value. */
export function readInstant(value: Value): Instant | undefined {
  if (typeof value !== 'string') return undefined
  const [, date, clock, seconds, offset] = SHAPE.exec(value) ?? []
  if (date === undefined) return undefined
  const midnight = Date.parse(`${date}T00:00:00.000Z`)
  // A day past the end of its month comes back as another day.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date) return undefined
  if (clock === undefined) return instant(midnight, true)
  return instant(Date.parse(`${date}T${clock}${seconds}${offset}`.toUpperCase()), false)
}

/** Writes an instant in canonical form: `2026-01-31`, or `2026-01-31T12:00:00.000Z`. */
export function writeInstant({ at, dateOnly }: Instant): string {
  const text = new Date(at).toISOString()
  return dateOnly ? text.slice(0, 10) : text
}

/** The instant, unless it is outside of the years 1 to 9999, which every store can hold. */
export const instant = (at: number, dateOnly: boolean): Instant | undefined =>
  at >= EARLIEST && at <= LATEST ? { at, dateOnly } : undefined

/** The canonical date-time of a number of milliseconds since 1970. */
export const timestamp = (at: number): string | null => written(instant(at, false))

/** The canonical form of an instant that may be out of range, which is null. */
export const written = (at: Instant | undefined): string | null =>
  at === undefined ? null : writeInstant(at)

/** The same time of day `months` later; a day past the end of its month becomes the month's last. */
export function addMonths({ at, dateOnly }: Instant, months: number): Instant | undefined {
  const date = new Date(at)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  date.setUTCDate(Math.min(day, daysInMonth(date)))
  return instant(date.getTime(), dateOnly)
}

/** The first of the next month less a day; setUTCFullYear, since Date.UTC takes the year 99 for 1999. */
function daysInMonth(date: Date): number {
  const last = new Date(0)
  last.setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)
  return last.getUTCDate()
}

/** The beginning of the calendar unit in UTC that an instant falls in; weeks begin on Monday. A date stays one. */
export function startOf({ at, dateOnly }: Instant, unit: CalendarUnit): Instant | undefined {
  const date = new Date(at)
  if (unit === 'hour') return dateOnly ? instant(at, true) : instant(at - modulo(at, HOUR), false)
  date.setUTCHours(0, 0, 0, 0)
  const month = date.getUTCMonth()
  if (unit === 'week') date.setUTCDate(date.getUTCDate() - modulo(date.getUTCDay() - 1, 7))
  if (unit === 'month') date.setUTCDate(1)
  if (unit === 'quarter') date.setUTCMonth(month - (month % 3), 1)
  if (unit === 'year') date.setUTCMonth(0, 1)
  return instant(date.getTime(), dateOnly)
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by
