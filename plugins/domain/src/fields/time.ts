import { calendarType } from './calendar-type.ts'
import { readTime } from './check/calendar.ts'

/** A time of day, without a zone. OpenAPI gets a pattern: its format `time` asks for a zone. */
export const time = calendarType({
  name: 'time',
  column: 'time',
  sentence: 'format.time',
  openapi: {
    type: 'string',
    pattern: '^(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\\.[0-9]{1,3})?)?$',
  },
  read: readTime,
})
