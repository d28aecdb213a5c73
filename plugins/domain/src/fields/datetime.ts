import { calendarType } from './calendar-type.ts'
import { readMoment } from './check/calendar.ts'

/** A moment: a date-time of RFC 3339 with any offset, kept in UTC to the millisecond. */
export const datetime = calendarType({
  name: 'datetime',
  column: 'datetime',
  sentence: 'format.datetime',
  openapi: { type: 'string', format: 'date-time' },
  read: readMoment,
})
