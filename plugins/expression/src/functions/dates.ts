import { CALENDAR_UNITS, type CalendarUnit } from '@svc/store/contract'
import type { Call } from '../syntax/ast.ts'
import { formatDate, unreadableLetters } from '../values/date-format.ts'
import { errorAt } from '../fault.ts'
import { isZone, wallOf } from '../formats/zone.ts'
import { addMonths, DAY, HOUR, instant, startOf, timestamp, written } from '../values/instant.ts'
import { isTemporal, type Kind } from '../values/kind.ts'
import { defineFunction, type Inspection } from './function.ts'

/** A date stays a date and a date-time a date-time; of a text only the value tells. */
const asGiven = ([kind = 'unknown']: readonly Kind[]): Kind => (isTemporal(kind) ? kind : 'unknown')

const part = (read: (date: Date) => number) =>
  defineFunction({ takes: ['instant'], gives: 'number', evaluate: ([{ at }]) => read(new Date(at)) })

/** Whole units from the first instant to the second, negative where the second is earlier. */
const between = (unit: number) =>
  defineFunction({
    takes: ['instant', 'instant'],
    gives: 'number',
    // Adding 0 turns the -0 of a part of a unit into 0.
    evaluate: ([from, to]) => Math.trunc((to.at - from.at) / unit) + 0,
  })

/** Functions of dates and date-times, all in UTC. */
export const DATE_FUNCTIONS = {
  now: defineFunction({
    takes: [],
    gives: 'datetime',
    reads: ['clock'],
    evaluate: (_, context) => timestamp(context.now()),
  }),
  today: defineFunction({
    takes: [],
    gives: 'date',
    reads: ['clock'],
    evaluate: (_, context) => written(instant(context.now(), true)),
  }),
  date: defineFunction({
    takes: ['instant'],
    gives: 'date',
    evaluate: ([{ at }]) => written(instant(at, true)),
  }),
  year: part((date) => date.getUTCFullYear()),
  month: part((date) => date.getUTCMonth() + 1),
  day: part((date) => date.getUTCDate()),
  hour: part((date) => date.getUTCHours()),
  addDays: defineFunction({
    takes: ['instant', 'whole'],
    gives: asGiven,
    evaluate: ([{ at, dateOnly }, days]) => written(instant(at + days * DAY, dateOnly)),
  }),
  addMonths: defineFunction({
    takes: ['instant', 'whole'],
    gives: asGiven,
    evaluate: ([from, months]) => written(addMonths(from, months)),
  }),
  startOf: defineFunction({
    takes: ['instant', 'text'],
    gives: asGiven,
    inspect: inspectUnit,
    evaluate: ([from, unit]) => (isUnit(unit) ? written(startOf(from, unit)) : null),
  }),
  daysBetween: between(DAY),
  hoursBetween: between(HOUR),
  formatDate: defineFunction({
    takes: ['instant', 'text', 'text'],
    optional: 1,
    gives: 'text',
    inspect: inspectFormat,
    evaluate: ([instant, format, zone = 'UTC']) => {
      if (!isZone(zone)) return null
      const { date, offset } = wallOf(instant, zone)
      return formatDate(date, format, { locale: 'en', offset })
    },
  }),
}

/** Whether a text names a unit of the calendar. */
export const isUnit = (unit: unknown): unit is CalendarUnit => CALENDAR_UNITS.some((one) => one === unit)

function inspectUnit({ args: [, unit] }: Call): Inspection {
  if (unit?.kind !== 'literal' || isUnit(unit.value)) return {}
  const message = `${JSON.stringify(unit.value)} is no unit of the calendar`
  return { faults: [errorAt(unit.offset, message, `Write one of '${CALENDAR_UNITS.join("', '")}'`)] }
}

function inspectFormat({ args: [, format, zone] }: Call): Inspection {
  if (zone?.kind === 'literal' && typeof zone.value === 'string' && !isZone(zone.value))
    return {
      faults: [errorAt(zone.offset, `'${zone.value}' is no time zone`, 'Write one such as Europe/London')],
    }
  if (format?.kind !== 'literal' || typeof format.value !== 'string') return {}
  const letters = unreadableLetters(format.value)
  if (letters === undefined) return {}
  const message = `'${letters}' means nothing in a date format`
  return {
    faults: [errorAt(format.offset, message, "write it as yyyy-MM-dd HH:mm, and plain letters in ''")],
  }
}
