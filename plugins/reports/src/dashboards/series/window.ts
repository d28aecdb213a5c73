import { Temporal } from '@svc/automation/contract'
import type { Column, Condition, Scalar } from '@svc/store/contract'
import { type Gathering, hourKey, type Interval } from '../../aggregates/interval.ts'
import { type Clocks, clocksOf, HOUR, offsetAt, slotOf, SLOTS, UTC } from './clocks.ts'

/** The intervals of a series: their keys, ascending, and when they begin and end. */
export interface Window {
  readonly keys: readonly string[]
  /** The points in time that lie in one of them, and some beside. */
  readonly rows: Condition
  /** What they are put together of; undefined where nothing fits into them, or too much. */
  readonly slots: Slots | undefined
}

/** Parts of intervals that a store tells quickly: hours in UTC, or parts of them; the days of a column of dates. */
export interface Slots {
  readonly scalar: Scalar
  /** Whether each interval is one of them. */
  readonly isWhole: boolean
  /** In which interval one lies, counted from 0; undefined for those beside. */
  placeOf(slot: string): number | undefined
}

/** More are not put together here: it would hold up other requests for longer than the store needs by itself. */
const MOST_SLOTS = 25_000
const DAY = 24 * HOUR

/** The last `count` intervals, of which the last one is the one that is now. */
export function windowOf(column: Column, { interval, zone }: Gathering, count: number, now: number): Window {
  return interval === 'hour' ? ofHours(column, zone, count, now) : ofDates(column, interval, zone, count, now)
}

function ofHours(column: Column, zone: string, count: number, now: number): Window {
  const end = now + 2 * HOUR
  // None of them is longer than an hour.
  const clocks = clocksOf(zone, now - (count + 2) * HOUR, end)
  const starts: number[] = []
  for (let at = hourOf(now, clocks); starts.length < count; at = hourOf(at - 1, clocks)) starts.push(at)
  starts.reverse()
  const places = new Map(starts.map((start, place) => [start, place]))
  return {
    keys: starts.map((at) => hourKey(at, offsetAt(clocks, at))),
    rows: between(column, new Date(starts[0]!).toISOString(), new Date(end).toISOString()),
    slots: slotsOf(column, 'hour', clocks, [starts[0]!, end], (at, offset) =>
      places.get(startOf(at, offset)),
    ),
  }
}

/** The full hour, by the clocks of a zone, that a moment falls in, at the offset of that moment. */
const hourOf = (at: number, clocks: Clocks): number => startOf(at, offsetAt(clocks, at))

const startOf = (at: number, offset: number): number => Math.floor((at + offset) / HOUR) * HOUR - offset

function slotsOf(
  column: Column,
  interval: Interval,
  clocks: Clocks,
  [from, to]: readonly [number, number],
  placeOf: (at: number, offset: number) => number | undefined,
): Slots | undefined {
  if (column.kind === 'date') {
    if ((to - from) / DAY > MOST_SLOTS) return undefined
    return {
      scalar: { op: 'column', column },
      isWhole: interval === 'day' || interval === 'hour',
      placeOf: (slot) => placeOf(Date.parse(slot), 0),
    }
  }
  const unit = slotOf(clocks)
  // For earlier years no two know the same clocks.
  if (unit === undefined || from < 0 || (to - from) / SLOTS[unit] > MOST_SLOTS) return undefined
  return {
    scalar: { op: 'slot', unit, column },
    isWhole: interval === 'hour' && unit === 'hour',
    placeOf(slot) {
      const at = Date.parse(slot)
      return placeOf(at, offsetAt(clocks, at))
    },
  }
}

const STEPS = {
  day: { days: 1 },
  week: { weeks: 1 },
  month: { months: 1 },
  quarter: { months: 3 },
  year: { years: 1 },
} as const satisfies Record<Exclude<Interval, 'hour'>, object>

function ofDates(
  column: Column,
  interval: Exclude<Interval, 'hour'>,
  zone: string,
  count: number,
  now: number,
): Window {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate()
  const step = STEPS[interval]
  let at = beginningOf(today, interval)
  const end = at.add(step)
  const starts = [at]
  while (starts.length < count) starts.push((at = at.subtract(step)))
  starts.reverse()
  const momentOf = (date: typeof at): number => date.toZonedDateTime(zone).epochMilliseconds
  const bound = (date: typeof at): string =>
    column.kind === 'date' ? date.toString() : new Date(momentOf(date)).toISOString()
  const span = [momentOf(at), momentOf(end)] as const
  const keys = starts.map((date) => date.toString())
  const days = [...keys, end.toString()].map((date) => Date.parse(date))
  return {
    keys,
    rows: between(column, bound(at), bound(end)),
    slots: slotsOf(
      column,
      interval,
      column.kind === 'date' ? UTC : clocksOf(zone, ...span),
      span,
      (moment, offset) => placeIn(days, moment + offset),
    ),
  }
}

/** Between which two of them, ascending, a number lies; undefined before the first and from the last on. */
function placeIn(bounds: readonly number[], at: number): number | undefined {
  let low = -1
  let high = bounds.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (bounds[middle]! <= at) low = middle
    else high = middle
  }
  return low < 0 || low === bounds.length - 1 ? undefined : low
}

function beginningOf(date: InstanceType<typeof Temporal.PlainDate>, interval: Interval) {
  switch (interval) {
    case 'week':
      return date.subtract({ days: date.dayOfWeek - 1 })
    case 'month':
      return date.with({ day: 1 })
    case 'quarter':
      return date.with({ day: 1, month: date.month - ((date.month - 1) % 3) })
    case 'year':
      return date.with({ day: 1, month: 1 })
    default:
      return date
  }
}

const between = (column: Column, from: string, to: string): Condition => {
  const value = (text: string) => (column.kind === 'date' ? text.slice(0, 10) : text)
  return {
    op: 'and',
    of: [
      { op: 'gte', column, value: value(from) },
      { op: column.kind === 'date' && to.length > 10 ? 'lte' : 'lt', column, value: value(to) },
    ],
  }
}
