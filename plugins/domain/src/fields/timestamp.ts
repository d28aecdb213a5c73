import { calendarType } from './calendar-type.ts'
import { readMoment } from './check/calendar.ts'

/** A moment, under the name that databases have for it. */
export const timestamp = calendarType({
  name: 'timestamp',
  column: 'datetime',
  noun: 'a date-time with its offset, as in 2026-03-01T09:30:00Z',
  openapi: { type: 'string', format: 'date-time' },
  read: readMoment,
})
