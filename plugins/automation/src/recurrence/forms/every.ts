import { type PlainDate, Temporal } from '../../time/temporal.ts'
import { type Days, type Form, onDays } from '../pattern.ts'
import { timeOfDay } from '../time.ts'
import type { Words } from '../words.ts'

const CLOCK_MS = { second: 1000, minute: 60_000, hour: 3_600_000 } as const
/** Units of the calendar, each with how many of them are about a year. */
const CALENDAR = { day: 366, week: 53, month: 12, year: 1 } as const
const CALENDAR_PLURALS = { day: 'days', week: 'weeks', month: 'months', year: 'years' } as const

type ClockUnit = keyof typeof CLOCK_MS
type CalendarUnit = keyof typeof CALENDAR
type Unit = ClockUnit | CalendarUnit

const UNITS: ReadonlyMap<string, Unit> = new Map(
  (['second', 'minute', 'hour', 'day', 'week', 'month', 'year'] as const).flatMap((unit) => [
    [unit, unit],
    [`${unit}s`, unit],
  ]),
)

/** Nothing recurs more seldom than after so many years. */
const MOST_YEARS = 100
const YEAR_MS = 366 * 86_400_000

/** `every 90 minutes`, or `every 2 weeks at 08:00 starting 2026-01-05`. */
export function every(words: Words): Form {
  const { position } = words
  const count = Number(words.take('number') ?? 1)
  const unit = words.oneOf(UNITS, 'seconds, minutes, hours, days, weeks, months or years')
  if (count === 0)
    throw words.fault('never occurs: expected a number above zero', `Write every ${unit}`, position)
  if (tooMany(count, unit))
    throw words.fault(
      `never occurs within ${MOST_YEARS} years: expected a smaller number`,
      undefined,
      position,
    )
  const text = count === 1 ? `every ${unit}` : `every ${count} ${unit}s`
  return isClock(unit)
    ? { text, pattern: { kind: 'steps', everyMs: count * CLOCK_MS[unit] } }
    : byCalendar(words, text, count, unit)
}

const isClock = (unit: Unit): unit is ClockUnit => unit in CLOCK_MS

const tooMany = (count: number, unit: Unit): boolean =>
  isClock(unit) ? count * CLOCK_MS[unit] > MOST_YEARS * YEAR_MS : count > MOST_YEARS * CALENDAR[unit]

function byCalendar(words: Words, text: string, count: number, unit: CalendarUnit): Form {
  const time = timeOfDay(words)
  const starting = words.accept('starting') ? startingDay(words) : undefined
  const written = `${text} ${time.text}`
  const days = stepping(count, CALENDAR_PLURALS[unit], starting)
  return {
    text: starting === undefined ? written : `${written} starting ${starting.toString()}`,
    pattern: onDays(days, time.ms),
    isCounted: starting === undefined,
  }
}

/**
 * The starting day and every `count` units after it; without one the first is so many units after `since`. Each is counted
 * from there, so that a month's last day stays that where a shorter month was between.
 */
function stepping(
  count: number,
  units: 'days' | 'weeks' | 'months' | 'years',
  starting: PlainDate | undefined,
): Days {
  return (from, since) => {
    const origin = starting ?? since
    const passed = Math.floor(origin.until(from, { largestUnit: units })[units] / count)
    const first = starting === undefined ? 1 : 0
    for (let step = Math.max(first, passed); ; step += 1) {
      const day = origin.add({ [units]: step * count })
      if (Temporal.PlainDate.compare(day, from) >= 0) return day
    }
  }
}

function startingDay(words: Words): PlainDate {
  const { position } = words
  const written = words.take('date') ?? ''
  try {
    return Temporal.PlainDate.from(written)
  } catch {
    throw words.fault('expected a day of the calendar', 'Write it as 2026-01-31', position)
  }
}
