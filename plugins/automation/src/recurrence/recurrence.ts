import { type PlainDate, Temporal } from '../time/temporal.ts'
import { RecurrenceFault } from './fault.ts'
import { cron } from './forms/cron.ts'
import { every } from './forms/every.ts'
import { hourly } from './forms/hourly.ts'
import { monthly } from './forms/monthly.ts'
import { daily, weekdays, weekly } from './forms/weekly.ts'
import { yearly } from './forms/yearly.ts'
import { nextOf } from './occurrence.ts'
import type { Form } from './pattern.ts'
import { Words } from './words.ts'

/** When something happens again and again, read from a text. */
export interface Recurrence {
  /** The same in the words of the language, which read back to it. */
  readonly text: string
  /** Whether it counts from the day on which it was submitted first: `every 90 days` without a starting day. */
  readonly isCounted: boolean
  /**
   * The first occurrence later than `after` in a time zone, in milliseconds since 1970; undefined where there is none. `since`
   * is the instant of the first submit.
   */
  next(after: number, zone: string, since: number): number | undefined
}

const FORMS: ReadonlyMap<string, (words: Words) => Form> = new Map([
  ['every', every],
  ['hourly', hourly],
  ['daily', daily],
  ['weekdays', weekdays],
  ['weekly', weekly],
  ['monthly', monthly],
  ['yearly', yearly],
])

/** The longest text that is read. */
const MOST_CHARACTERS = 500

/** Reads a recurrence. Throws RecurrenceFault. */
export function readRecurrence(written: string): Recurrence {
  if (written.length > MOST_CHARACTERS)
    throw new RecurrenceFault(`is longer than ${MOST_CHARACTERS} characters`, MOST_CHARACTERS)
  const { text, pattern, isCounted = false } = formOf(written)
  return {
    text,
    isCounted,
    next: (after, zone, since) => nextOf(pattern, after, { zone, since: dayOf(since, zone) }),
  }
}

function formOf(written: string): Form {
  if (/^\s*[\d*@]/.test(written)) return cron(written)
  const words = new Words(written)
  const read = words.oneOf(FORMS, `${[...FORMS.keys()].join(', ')} or a cron pattern`)
  const form = read(words)
  words.end()
  return form
}

const dayOf = (instant: number, zone: string): PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone).toPlainDate()
