import { calendarType } from './calendar-type.ts'
import { readMoment } from './check/calendar.ts'

/** A moment: a date-time of RFC 3339 with any offset, kept in UTC to the millisecond. */
export const datetime = calendarType({
  name: 'datetime',
  column: 'datetime',
  noun: 'a date-time with its offset, as in 2026-03-01T09:30:00Z',
  openapi: { type: 'string', format: 'date-time' },
  read: readMoment,
})
