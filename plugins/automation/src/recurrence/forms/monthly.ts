import { type PlainDate, Temporal } from '../../time/temporal.ts'
import { listed, listOf } from '../list.ts'
import { weekdayName, weekdayNumbers } from '../names.ts'
import { type Days, type Form, onDays } from '../pattern.ts'
import { timeOfDay } from '../time.ts'
import type { Words } from '../words.ts'

/** A day of every month. */
interface DayOfMonth {
  readonly text: string
  /** The day in the month that begins with `first`. */
  in(first: PlainDate): PlainDate
}

/** `monthly on 1st, last day and second Tuesday at 02:00`. */
export function monthly(words: Words): Form {
  if (!words.accept('on'))
    throw words.fault("expected 'on' and a day", 'Write monthly on 1st, or monthly on last day')
  const days = listOf(words, () => dayOfMonth(words))
  const time = timeOfDay(words)
  const texts = [...new Set(days.map(({ text }) => text))]
  return { text: `monthly on ${listed(texts)} ${time.text}`, pattern: onDays(inMonths(days), time.ms) }
}

const inMonths =
  (days: readonly DayOfMonth[]): Days =>
  (from) => {
    const first = from.with({ day: 1 })
    // Each month has such a day, so that this one or the next has one that is still to come.
    const inTwo = [first, first.add({ months: 1 })].flatMap((month) => days.map((day) => day.in(month)))
    return inTwo
      .filter((day) => Temporal.PlainDate.compare(day, from) >= 0)
      .sort((a, b) => Temporal.PlainDate.compare(a, b))[0]
  }

const WHICH = new Map([
  ['first', 1],
  ['second', 2],
  ['third', 3],
  ['fourth', 4],
  ['last', 5],
])

function dayOfMonth(words: Words): DayOfMonth {
  const { position } = words
  const written = words.take('ordinal')
  if (written !== undefined) return numbered(written, words, position)
  if (words.take('number') !== undefined)
    throw words.fault('expected a day of the month', 'Write it as 1st, 2nd, 3rd or 15th', position)
  const which = words.oneOf(WHICH, 'a day such as 15th, last day or first Monday')
  if (which === 5 && words.accept('day'))
    return { text: 'last day', in: (first) => first.with({ day: first.daysInMonth }) }
  const weekday = words.oneOf(weekdayNumbers, 'a weekday')
  const name = [...WHICH.keys()][which - 1] ?? ''
  return {
    text: `${name} ${weekdayName(weekday)}`,
    in: (first) => (which === 5 ? lastOf(first, weekday) : nthOf(first, weekday, which)),
  }
}

function numbered(written: string, words: Words, position: number): DayOfMonth {
  const number = Number.parseInt(written, 10)
  if (number < 1 || number > 31) throw words.fault('expected a day from 1st to 31st', undefined, position)
  const text = ordinal(number)
  if (written !== text) throw words.fault('expected a day of the month', `Did you mean ${text}?`, position)
  // Shorter months have it on their last day: `with` goes no further.
  return { text, in: (first) => first.with({ day: number }) }
}

const nthOf = (first: PlainDate, weekday: number, nth: number): PlainDate =>
  first.add({ days: ((weekday - first.dayOfWeek + 7) % 7) + 7 * (nth - 1) })

function lastOf(first: PlainDate, weekday: number): PlainDate {
  const last = first.with({ day: first.daysInMonth })
  return last.subtract({ days: (last.dayOfWeek - weekday + 7) % 7 })
}

/** `1st`, `22nd`, `13th`. */
function ordinal(number: number): string {
  const suffix = number > 10 && number < 14 ? undefined : ['st', 'nd', 'rd'][(number % 10) - 1]
  return `${number}${suffix ?? 'th'}`
}
