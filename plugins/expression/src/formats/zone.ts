import { type Instant, readInstant } from '../values/instant.ts'
import type { Value } from '@svc/store/contract'

/** What a clock on a wall shows. */
export interface Wall {
  /** Its time as if it were UTC's. */
  readonly date: Date
  /** Minutes that it is before UTC's. */
  readonly offset: number
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** What the clocks of an IANA zone show at a moment. Throws RangeError for one that nobody knows. */
export function wallAt(at: number, zone: string): Wall {
  if (zone === 'UTC') return { date: new Date(at), offset: 0 }
  const part = new Map(
    clockOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const read = (type: Intl.DateTimeFormatPartTypes) => part.get(type) ?? 0
  const date = new Date(0)
  date.setUTCFullYear(read('year'), read('month') - 1, read('day'))
  date.setUTCHours(read('hour'), read('minute'), read('second'), ((at % 1000) + 1000) % 1000)
  return { date, offset: Math.round((date.getTime() - at) / 60_000) }
}

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  clocks.set(zone, made)
  return made
}

/** The date of a point in time in a zone, as `2026-01-31`; a date stays the date that it is. Undefined for any other value. */
export function dateIn(value: Value, zone: string): string | undefined {
  const read = readInstant(value)
  return read && wallOf(read, zone).date.toISOString().slice(0, 10)
}

/** The time of day of a point in time in a zone, as `13:45:00`, with milliseconds where there are some; undefined for a date. */
export function timeIn(value: Value, zone: string): string | undefined {
  const read = readInstant(value)
  if (read === undefined || read.dateOnly) return undefined
  return wallOf(read, zone)
    .date.toISOString()
    .slice(11, 23)
    .replace(/\.000$/, '')
}

/** A date stands in no zone. */
export const wallOf = ({ at, dateOnly }: Instant, zone: string): Wall => wallAt(at, dateOnly ? 'UTC' : zone)

/** Whether a text names a zone of the IANA. */
export function isZone(name: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
