import type { Duration, DurationUnit } from './duration.ts'
import { type PlainDateTime, Temporal } from './temporal.ts'

/** Units that a calendar counts, by their names there; the others are counted by the clock. */
const CALENDAR: Partial<Readonly<Record<DurationUnit, 'days' | 'weeks' | 'months' | 'years'>>> = {
  d: 'days',
  w: 'weeks',
  mo: 'months',
  y: 'years',
}

/**
 * The instant, in milliseconds since 1970, that lies `offset` after `instant`. Days and more are counted by the calendar of
 * `zone`: the clock there shows the same time, and a day that the month lacks is its last one.
 */
export function addOffset(instant: number, { amount, unit, ms }: Duration, zone: string): number {
  const counted = CALENDAR[unit]
  if (counted === undefined || amount === 0) return instant + ms
  const wall = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone).toPlainDateTime()
  return instantAt(wall.add({ [counted]: amount }), zone)
}

/**
 * The instant that a duration ends which began at `instant`, in milliseconds: a day is 24 hours and a week seven of them;
 * months and years are those of the calendar in UTC.
 */
export const addDuration = (instant: number, duration: Duration): number =>
  duration.unit === 'mo' || duration.unit === 'y'
    ? addOffset(instant, duration, 'UTC')
    : instant + duration.ms

/**
 * The instant at which the clocks of `zone` show `wall`, in milliseconds since 1970: the first instant after the gap where
 * they skip it, the first of two where they show it twice.
 */
export function instantAt(wall: PlainDateTime, zone: string): number {
  const earlier = wall.toZonedDateTime(zone, { disambiguation: 'earlier' })
  if (earlier.toPlainDateTime().equals(wall)) return earlier.epochMilliseconds
  const change = earlier.getTimeZoneTransition('next')
  if (change === null) throw new Error(`the clocks of ${zone} skip ${wall.toString()} and never change`)
  return change.epochMilliseconds
}

/** The instant at which a day begins in `zone`, in milliseconds since 1970; `date` is `2026-03-29`. */
export const startOfDay = (date: string, zone: string): number =>
  Temporal.PlainDate.from(date).toZonedDateTime({ timeZone: zone }).epochMilliseconds

/** The day that it is in `zone` at an instant, as `2026-03-29`. */
export const dayAt = (instant: number, zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone).toPlainDate().toString()

/** The time that the clocks of `zone` show at an instant, as `09:30:00`. */
export const timeAt = (instant: number, zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(instant)
    .toZonedDateTimeISO(zone)
    .toPlainTime()
    .toString({ smallestUnit: 'second' })

/** Whether a text names a zone of the IANA's list. */
export function isTimeZone(zone: string): boolean {
  // Offsets such as +01:00 know no daylight saving time: an author who writes one has a city in mind.
  if (!/^[A-Za-z]/.test(zone)) return false
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone)
    return true
  } catch {
    return false
  }
}
