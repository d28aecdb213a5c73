import { calendarType } from './calendar-type.ts'
import { readMoment } from './check/calendar.ts'

/** A moment, under the name that databases have for it. */
export const timestamp = calendarType({
  name: 'timestamp',
  column: 'datetime',
  sentence: 'format.datetime',
  openapi: { type: 'string', format: 'date-time' },
  read: readMoment,
})
