import { Temporal } from '@svc/automation/contract'
import { CALENDAR_UNITS, type CalendarUnit, type Scalar, type Value } from '@svc/store/contract'
import type { Formula } from './formula.ts'

export { CALENDAR_UNITS as INTERVALS }
export type Interval = CalendarUnit

/** By what calendar points in time are gathered. */
export interface Gathering {
  readonly interval: Interval
  /** An IANA zone; dates count as they stand. */
  readonly zone: string
}

/** The zone that counts for values of a formula. */
export const zoneFor = ({ kind }: Pick<Formula, 'kind'>, zone: string): string =>
  kind === 'date' ? 'UTC' : zone

/** The beginning of the interval that a point in time falls in. */
export const beginningOf = (of: Scalar, { interval, zone }: Gathering): Scalar => ({
  op: 'truncate',
  unit: interval,
  ...(zone !== 'UTC' && { zone }),
  of: { op: 'call', name: 'instant', of: [of] },
})

/** The same as answers say it: a date, and of an hour also its time and what the zone's clocks are ahead by. */
export function keyOf(beginning: Value, { interval, zone }: Gathering): string | null {
  if (typeof beginning !== 'string') return null
  if (interval !== 'hour') return beginning.slice(0, 10)
  const at = Temporal.Instant.from(beginning).toZonedDateTimeISO(zone)
  return hourKey(at.epochMilliseconds, at.offsetNanoseconds / 1e6)
}

/** The key of an hour, where clocks are so many milliseconds ahead. */
export function hourKey(at: number, offset: number): string {
  const ahead = new Date(Math.abs(offset)).toISOString().slice(11, 19).replace(/:00$/, '')
  return `${new Date(at + offset).toISOString().slice(0, 16)}${offset < 0 ? '-' : '+'}${ahead}`
}
