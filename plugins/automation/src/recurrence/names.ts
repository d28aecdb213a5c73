/** Weekdays as the ISO counts them: Monday is 1. */
export const WEEKDAYS = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const

/** The number of a weekday by its name, whole or in three letters. */
export const weekdayNumbers = numbered(WEEKDAYS)
/** The number of a month, likewise. */
export const monthNumbers = numbered(MONTHS)

/** The name of a weekday; Monday is 1. */
export const weekdayName = (number: number): string => WEEKDAYS[number - 1] ?? ''
/** The name of a month. */
export const monthName = (number: number): string => MONTHS[number - 1] ?? ''

function numbered(names: readonly string[]): ReadonlyMap<string, number> {
  const lower = names.map((name, at) => [name.toLowerCase(), at + 1] as const)
  return new Map([...lower, ...lower.map(([name, number]) => [name.slice(0, 3), number] as const)])
}
