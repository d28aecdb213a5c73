import { Temporal } from '../../time/temporal.ts'
import { monthName, monthNumbers } from '../names.ts'
import { type Form, onDays } from '../pattern.ts'
import { timeOfDay } from '../time.ts'
import type { Words } from '../words.ts'

/** A leap year: what no month of it has, no month has. */
const LEAP_YEAR = 2024

/** `yearly on April 30 at 08:00`. */
export function yearly(words: Words): Form {
  if (!words.accept('on')) throw words.fault("expected 'on', a month and a day", 'Write yearly on March 1')
  const month = words.oneOf(monthNumbers, 'a month')
  const { position } = words
  const day = Number.parseInt(words.take('number') ?? words.take('ordinal') ?? '', 10)
  if (Number.isNaN(day))
    throw words.fault('expected a day of the month', `Write yearly on ${monthName(month)} 1`, position)
  const longest = Temporal.PlainDate.from({ year: LEAP_YEAR, month, day: 1 }).daysInMonth
  if (day < 1 || day > longest)
    throw words.fault(`never occurs: ${monthName(month)} has the days 1 to ${longest}`, undefined, position)
  const time = timeOfDay(words)
  const days = onDays((from) => {
    // `constrain` puts 29 February on the 28th in years that lack it.
    const inYear = (year: number) => Temporal.PlainDate.from({ year, month, day }, { overflow: 'constrain' })
    const thisYear = inYear(from.year)
    return Temporal.PlainDate.compare(thisYear, from) < 0 ? inYear(from.year + 1) : thisYear
  }, time.ms)
  return { text: `yearly on ${monthName(month)} ${day} ${time.text}`, pattern: days }
}
