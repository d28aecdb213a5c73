import type { Value } from '@svc/store/contract'
import { formatDate, unreadableLetters } from '../values/date-format.ts'
import { readInstant } from '../values/instant.ts'
import type { Formats } from './formats.ts'
import type { Format } from './format.ts'
import { type Wall, wallOf } from './zone.ts'

/** Formats of points in time: date-times in the zone of the formats, dates and times of day as they stand. */
export const DATE_FORMATS = {
  date: after('date'),
  time: after('time'),
  datetime: after('datetime'),
} as const satisfies Readonly<Record<string, Format>>

function after(kind: keyof Formats['patterns']): Format {
  return {
    takes: ['text'],
    inspect(pattern) {
      const letters = typeof pattern === 'string' ? unreadableLetters(pattern) : undefined
      return letters === undefined ? undefined : `'${letters}' means nothing in a date format`
    },
    write(value, [pattern], formats) {
      const wall = wallIn(value, formats.timezone)
      if (wall === undefined) return undefined
      const written = typeof pattern === 'string' ? pattern : formats.patterns[kind]
      return formatDate(wall.date, written, { ...wall, locale: formats.locale }) ?? undefined
    },
  }
}

function wallIn(value: Value, zone: string): Wall | undefined {
  const instant = readInstant(value)
  return instant ? wallOf(instant, zone) : timeOfDay(value)
}

/** A time of day, as its field stores it. */
function timeOfDay(value: Value): Wall | undefined {
  if (typeof value !== 'string' || !/^\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/.test(value)) return undefined
  const date = new Date(`1970-01-01T${value.length === 5 ? `${value}:00` : value}Z`)
  return Number.isNaN(date.getTime()) ? undefined : { date, offset: 0 }
}
