import { addOffset, dayAt, instantAt, Temporal } from '@svc/automation/contract'
import type { Row, Value } from '@svc/store/contract'
import { remembered } from './remembered.ts'
import type { Deed, RelativeTiming, Schedule } from './schedule.ts'

/** When a deed of a relative schedule is due for a record. */
export interface DueMoment {
  readonly deed: Deed
  /** In milliseconds since 1970. */
  readonly at: number
}

const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')

/** The nearest moment of the years 1 to 9999, which every store can hold; in milliseconds since 1970. */
export const withinYears = (at: number): number => Math.min(LATEST, Math.max(EARLIEST, at))

/**
 * The moments at which the deeds of a relative schedule are due for a record, the earliest first. Those that were over before
 * `firstAt` count where the date itself was still to come then; without `firstAt` all count. Those outside of the years 1 to
 * 9999 never come.
 */
export function momentsOf(schedule: Schedule, record: Row, firstAt?: number): readonly DueMoment[] {
  const { timing, zone, deeds } = schedule
  if (timing.kind !== 'relative') return []
  const value = record[timing.relativeTo.name] ?? null
  if (typeof value !== 'string') return []
  const { endOf, momentOf } = calendarOf(timing, zone)
  const counts = firstAt === undefined || endOf(value) > firstAt
  return deeds
    .map((deed) => ({ deed, at: momentOf(deed)(value) }))
    .filter(({ at }) => at === withinYears(at))
    .filter(({ at }) => counts || (firstAt !== undefined && at >= firstAt))
    .sort((a, b) => a.at - b.at)
}

/** What is worked out of dates for a schedule. */
interface Calendar {
  readonly endOf: (value: string) => number
  readonly momentOf: (deed: Deed) => (value: string) => number
}

const calendars = new WeakMap<RelativeTiming, Calendar>()

function calendarOf(timing: RelativeTiming, zone: string): Calendar {
  const known = calendars.get(timing)
  if (known !== undefined) return known
  const moments = new Map<Deed, (value: string) => number>()
  const calendar: Calendar = {
    endOf: remembered((value) => endOf(value, timing, zone)),
    momentOf(deed) {
      const of = moments.get(deed) ?? remembered((value) => momentOf(deed, value, timing, zone))
      moments.set(deed, of)
      return of
    },
  }
  calendars.set(timing, calendar)
  return calendar
}

/** When a date is over: of a day its end. */
function endOf(value: string, { isDate }: RelativeTiming, zone: string): number {
  if (!isDate) return Date.parse(value)
  return instantAt(Temporal.PlainDate.from(value).add({ days: 1 }).toPlainDateTime(), zone)
}

function momentOf({ daysUntil }: Deed, value: string, timing: RelativeTiming, zone: string): number {
  return daysUntil === undefined ? byOffset(value, timing, zone) : byDays(daysUntil, value, timing, zone)
}

/** So many days of the calendar before the day of a date. */
function byDays(
  daysUntil: number,
  value: string,
  { isDate, at = '00:00' }: RelativeTiming,
  zone: string,
): number {
  const day = Temporal.PlainDate.from(isDate ? value : dayAt(Date.parse(value), zone)).subtract({
    days: daysUntil,
  })
  return instantAt(day.toPlainDateTime(Temporal.PlainTime.from(at)), zone)
}

function byOffset(value: string, timing: RelativeTiming, zone: string): number {
  const { isDate, offset, at } = timing
  const due = isDate ? afterDay(value, timing, zone) : addOffset(Date.parse(value), offset, zone)
  if (at === undefined) return due
  return instantAt(
    Temporal.PlainDate.from(dayAt(due, zone)).toPlainDateTime(Temporal.PlainTime.from(at)),
    zone,
  )
}

const CALENDAR = { d: 'days', w: 'weeks', mo: 'months', y: 'years' } as const

/** Counted from the beginning of a day: whole days lead to the beginning of another one, whatever the clocks do there. */
function afterDay(value: string, { offset }: RelativeTiming, zone: string): number {
  const day = Temporal.PlainDate.from(value)
  const { unit, amount, ms } = offset
  if (unit === 'd' || unit === 'w' || unit === 'mo' || unit === 'y')
    return instantAt(day.add({ [CALENDAR[unit]]: amount }).toPlainDateTime(), zone)
  return instantAt(day.toPlainDateTime(), zone) + ms
}

/** Whether a value is one of which moments can be told. */
export const isDated = (value: Value | undefined): value is string => typeof value === 'string'
