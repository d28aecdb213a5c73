import { calendarType } from './calendar-type.ts'
import { readDate } from './check/calendar.ts'

/** A day: a full-date of RFC 3339. */
export const date = calendarType({
  name: 'date',
  column: 'date',
  noun: 'a date as YYYY-MM-DD',
  openapi: { type: 'string', format: 'date' },
  read: readDate,
})
