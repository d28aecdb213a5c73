import { calendarType } from './calendar-type.ts'
import { readDate } from './check/calendar.ts'

/** A day: a full-date of RFC 3339. */
export const date = calendarType({
  name: 'date',
  column: 'date',
  sentence: 'format.date',
  openapi: { type: 'string', format: 'date' },
  read: readDate,
})
