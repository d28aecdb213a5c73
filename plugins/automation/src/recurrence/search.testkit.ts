import fc from 'fast-check'
import { monthName, weekdayName } from './names.ts'
import { listed } from './list.ts'

const DAY_MS = 86_400_000
const two = (number: number): string => String(number).padStart(2, '0')

/** A text, and what it means, written down once more: for a clock's face as if it were UTC. */
export interface Meant {
  readonly text: string
  /** Whether what the clocks show at a whole minute is one of its times. */
  matches(wall: Date): boolean
  readonly runsOn: boolean
}

const time = fc.record({ hour: fc.integer({ min: 0, max: 23 }), minute: fc.integer({ min: 0, max: 59 }) })
// Clocks are changed in these hours.
const nightly = fc.record({ hour: fc.integer({ min: 0, max: 3 }), minute: fc.constantFrom(0, 15, 30, 59) })
const anyTime = fc.oneof(time, nightly)

const on = (
  text: string,
  { hour, minute }: { hour: number; minute: number },
  isDay: (day: Date) => boolean,
): Meant => ({
  text: `${text} at ${two(hour)}:${two(minute)}`,
  matches: (wall) => wall.getUTCHours() === hour && wall.getUTCMinutes() === minute && isDay(wall),
  runsOn: false,
})

const weekdayOf = (day: Date): number => ((day.getUTCDay() + 6) % 7) + 1
const lengthOf = (day: Date): number =>
  new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate()

const daily = anyTime.map((at) => on('daily', at, () => true))
const workdays = anyTime.map((at) => on('weekdays', at, (day) => weekdayOf(day) < 6))
const weekly = fc
  .tuple(fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), anyTime)
  .map(([days, at]) =>
    on(`weekly on ${listed(days.map(weekdayName))}`, at, (day) => days.includes(weekdayOf(day))),
  )

const WHICH = ['first', 'second', 'third', 'fourth', 'last']
const ordinal = (number: number): string =>
  `${number}${number > 10 && number < 14 ? 'th' : (['st', 'nd', 'rd'][(number % 10) - 1] ?? 'th')}`
const isNth = (day: Date, which: number, weekday: number): boolean =>
  weekdayOf(day) === weekday &&
  (which === 5 ? day.getUTCDate() + 7 > lengthOf(day) : Math.ceil(day.getUTCDate() / 7) === which)

const monthDay = fc.oneof(
  fc.integer({ min: 1, max: 31 }).map((number) => ({
    text: ordinal(number),
    is: (day: Date) => day.getUTCDate() === Math.min(number, lengthOf(day)),
  })),
  fc.constant({ text: 'last day', is: (day: Date) => day.getUTCDate() === lengthOf(day) }),
  fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 7 })).map(([which, weekday]) => ({
    text: `${WHICH[which - 1]} ${weekdayName(weekday)}`,
    is: (day: Date) => isNth(day, which, weekday),
  })),
)
const monthly = fc
  .tuple(fc.array(monthDay, { minLength: 1, maxLength: 3 }), anyTime)
  .map(([days, at]) =>
    on(`monthly on ${listed(days.map(({ text }) => text))}`, at, (day) => days.some(({ is }) => is(day))),
  )

const yearly = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 31 }), anyTime)
  .filter(([month, day]) => day <= new Date(Date.UTC(2024, month, 0)).getUTCDate())
  .map(([month, number, at]) =>
    on(
      `yearly on ${monthName(month)} ${number}`,
      at,
      (day) => day.getUTCMonth() === month - 1 && day.getUTCDate() === Math.min(number, lengthOf(day)),
    ),
  )

const hourly = fc.integer({ min: 0, max: 59 }).map((minute): Meant => ({
  text: `hourly at :${two(minute)}`,
  matches: (wall) => wall.getUTCMinutes() === minute,
  runsOn: true,
}))

/** The months between two days, and whether the later one stands where the earlier one does, or at the month's end. */
const isMonthsAfter = (day: Date, start: Date, count: number): boolean => {
  const months =
    (day.getUTCFullYear() - start.getUTCFullYear()) * 12 + day.getUTCMonth() - start.getUTCMonth()
  return (
    months >= 0 && months % count === 0 && day.getUTCDate() === Math.min(start.getUTCDate(), lengthOf(day))
  )
}
const isDaysAfter = (day: Date, start: Date, count: number): boolean => {
  const days = Math.floor((day.getTime() - start.getTime()) / DAY_MS)
  return days >= 0 && days % count === 0
}

const starting = fc
  .tuple(
    fc.constantFrom('days', 'weeks', 'months', 'years'),
    fc.integer({ min: 1, max: 40 }),
    anyTime,
    fc.date({ min: new Date('2019-01-01'), max: new Date('2025-12-31'), noInvalidDate: true }),
  )
  .map(([unit, count, at, day]) => {
    const date = day.toISOString().slice(0, 10)
    const start = new Date(date)
    const isDay = (one: Date): boolean =>
      unit === 'days'
        ? isDaysAfter(one, start, count)
        : unit === 'weeks'
          ? isDaysAfter(one, start, count * 7)
          : isMonthsAfter(one, start, unit === 'months' ? count : count * 12)
    const meant = on(count === 1 ? `every ${unit.slice(0, -1)}` : `every ${count} ${unit}`, at, isDay)
    return { ...meant, text: `${meant.text} starting ${date}` }
  })

interface Field {
  readonly text: string
  readonly has: (value: number) => boolean
}

const single = (min: number, max: number): fc.Arbitrary<Field> =>
  fc.integer({ min, max }).map((one) => ({ text: String(one), has: (value) => value === one }))
const range = (min: number, max: number): fc.Arbitrary<Field> =>
  fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map(([a, b]) => {
    const [low, high] = [Math.min(a, b), Math.max(a, b)]
    return { text: `${low}-${high}`, has: (value) => value >= low && value <= high }
  })
const list = (min: number, max: number): fc.Arbitrary<Field> =>
  fc
    .uniqueArray(fc.integer({ min, max }), { minLength: 2, maxLength: 4 })
    .map((all) => ({ text: all.join(','), has: (value) => all.includes(value) }))
const stepped = (min: number, max: number): fc.Arbitrary<Field> =>
  fc
    .integer({ min: 2, max: max - min })
    .map((step) => ({ text: `*/${step}`, has: (value) => (value - min) % step === 0 }))
const star = fc.constant<Field>({ text: '*', has: () => true })
const field = (min: number, max: number): fc.Arbitrary<Field> =>
  fc.oneof(single(min, max), range(min, max), list(min, max), stepped(min, max), star)

interface DayField {
  readonly text: string
  readonly is: (day: Date) => boolean
}

const cronDay: fc.Arbitrary<DayField> = fc.oneof(
  field(1, 31).map(({ text, has }): DayField => ({ text, is: (day) => has(day.getUTCDate()) })),
  fc.constant<DayField>({ text: 'L', is: (day) => day.getUTCDate() === lengthOf(day) }),
  fc
    .integer({ min: 1, max: 28 })
    .map((number): DayField => ({ text: `${number}W`, is: (day) => isNearest(day, number) })),
)

/** Whether a day is the one from Monday to Friday that is nearest to the `number`th, in the same month. */
function isNearest(day: Date, number: number): boolean {
  const wanted = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), number))
  const weekday = weekdayOf(wanted)
  const move =
    weekday === 6 ? (number === 1 ? 2 : -1) : weekday === 7 ? (number === lengthOf(day) ? -2 : 1) : 0
  return day.getUTCDate() === number + move
}

const SHORT = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']
const cronWeekday: fc.Arbitrary<DayField> = fc.oneof(
  star.map(({ text }): DayField => ({ text, is: () => true })),
  single(0, 6).map(({ text, has }): DayField => ({ text, is: (day) => has(day.getUTCDay()) })),
  fc.constantFrom(0, 1, 2, 3, 4, 5, 6).map((number): DayField => ({
    text: SHORT[number] ?? '',
    is: (day) => day.getUTCDay() === number,
  })),
  fc.constant<DayField>({ text: 'MON-FRI', is: (day) => weekdayOf(day) < 6 }),
  fc
    .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 4 }))
    .map(([weekday, nth]): DayField => ({
      text: `${weekday}#${nth}`,
      is: (day) => isNth(day, nth, weekday),
    })),
  fc
    .integer({ min: 1, max: 6 })
    .map((weekday): DayField => ({ text: `${weekday}L`, is: (day) => isNth(day, 5, weekday) })),
)

const cron = fc
  .tuple(
    field(0, 59),
    fc.oneof(field(0, 23), range(0, 3), list(0, 3)),
    cronDay,
    fc.oneof(star, field(1, 12)),
    cronWeekday,
  )
  // A `*` that steps leaves a field as it is to some readers of cron, and restricts it to others.
  .filter(([, , day, , weekday]) => !(day.text.startsWith('*/') && weekday.text !== '*'))
  .map(([minute, hour, day, month, weekday]): Meant => {
    const isEither = day.text !== '*' && weekday.text !== '*'
    return {
      text: [minute, hour, day, month, weekday].map(({ text }) => text).join(' '),
      matches: (wall) =>
        minute.has(wall.getUTCMinutes()) &&
        hour.has(wall.getUTCHours()) &&
        month.has(wall.getUTCMonth() + 1) &&
        (isEither ? day.is(wall) || weekday.is(wall) : day.is(wall) && weekday.is(wall)),
      runsOn: /[*/]/.test(minute.text) || /[*/]/.test(hour.text),
    }
  })

/** Random texts of every form, each with its meaning. */
export const meant: fc.Arbitrary<Meant> = fc.oneof(
  daily,
  workdays,
  weekly,
  monthly,
  yearly,
  hourly,
  starting,
  cron,
  cron,
)
