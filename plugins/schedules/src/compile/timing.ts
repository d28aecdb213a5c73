import { compileDuration, isTimeZone, OFFSET_BOUNDS, readDuration } from '@svc/automation/contract'
import type { Path, Resource, Site } from '@svc/domain/contract'
import { nearest } from '@svc/kernel'
import type { ScheduleDefinition } from '../definition/schedule.ts'
import { RecurrenceFault } from '../recurrence/fault.ts'
import { readRecurrence, type Recurrence } from '../recurrence/recurrence.ts'
import type { RecurringTiming, RelativeTiming, Timing } from '../schedule.ts'

/** The zone whose clocks count for a schedule: its own, that of the domain, or UTC. */
export function zoneOf({ timezone }: ScheduleDefinition, path: Path, site: Site): string {
  if (timezone === undefined) {
    const common = site.model.definition.config?.['timezone']
    return typeof common === 'string' && isTimeZone(common) ? common : 'UTC'
  }
  if (isTimeZone(timezone)) return timezone
  const meant = nearest(timezone, Intl.supportedValuesOf('timeZone'))
  site.problem(
    [...path, 'timezone'],
    `there is no time zone '${timezone.slice(0, 40)}'`,
    meant === undefined ? 'Write a name of the IANA, such as Europe/London' : `Did you mean ${meant}?`,
  )
  return 'UTC'
}

/** Where a timing stands. */
export interface TimingPlace {
  readonly path: Path
  readonly site: Site
  readonly zone: string
  /** How often schedules are looked at, in milliseconds. */
  readonly heartbeatMs: number
}

/** Compiles when a schedule is due; undefined where something is wrong with that, which is reported. */
export const compileTiming = (
  written: ScheduleDefinition,
  resource: Resource | undefined,
  place: TimingPlace,
): Timing | undefined =>
  isRelative(written) ? relative(written, resource, place) : recurring(written, place)

/** Whether a schedule goes by a date of its records. */
export const isRelative = ({ type, relativeTo }: ScheduleDefinition): boolean =>
  type === 'relative' || (type === undefined && relativeTo !== undefined)

function recurring(
  { recurrence: text, catchUp = 'latest' }: ScheduleDefinition,
  place: TimingPlace,
): RecurringTiming | undefined {
  const { path, site } = place
  if (text === undefined) {
    site.problem([...path, 'recurrence'], 'is missing', "Say when it recurs, as in 'daily at 06:00'")
    return undefined
  }
  const recurrence = recurrenceOf(text, place)
  return recurrence && { kind: 'recurring', recurrence, catchUp }
}

/** Any moment does to learn how a pattern goes: a definition means the same whenever it is read. */
const SOME_MOMENT = Date.UTC(2026, 0)

function recurrenceOf(text: string, { path, site, zone, heartbeatMs }: TimingPlace): Recurrence | undefined {
  const at = [...path, 'recurrence']
  try {
    const recurrence = readRecurrence(text)
    const gap = shortestGap(recurrence, zone)
    if (gap === undefined) site.problem(at, `'${recurrence.text}' never occurs in ${zone}`)
    else if (gap < heartbeatMs)
      site.warning(
        at,
        `is shorter than the heartbeat of ${heartbeatMs / 1000} s: it fires once a heartbeat`,
        "Configure a shorter 'schedules.heartbeat_seconds', or write a longer recurrence",
      )
    return gap === undefined ? undefined : recurrence
  } catch (error) {
    if (!(error instanceof RecurrenceFault)) throw error
    site.problem(at, `${error.message} (at character ${error.position + 1})`, error.hint)
    return undefined
  }
}

/** The shortest time between a few occurrences; undefined where there is none at all. */
function shortestGap(recurrence: Recurrence, zone: string): number | undefined {
  let [last, shortest] = [recurrence.next(SOME_MOMENT, zone, SOME_MOMENT), Infinity]
  if (last === undefined) return undefined
  for (let seen = 0; seen < 5; seen += 1) {
    const next = recurrence.next(last, zone, SOME_MOMENT)
    if (next === undefined) break
    shortest = Math.min(shortest, next - last)
    last = next
  }
  return shortest
}

function relative(
  { relativeTo, offset, at }: ScheduleDefinition,
  resource: Resource | undefined,
  { path, site }: TimingPlace,
): RelativeTiming | undefined {
  if (relativeTo === undefined) {
    site.problem([...path, 'relativeTo'], 'is missing', 'Name a date or datetime of the source')
    return undefined
  }
  if (resource === undefined) return undefined
  const field = resource.fields.get(relativeTo)
  const kind = field?.column?.kind
  if (field === undefined || (kind !== 'date' && kind !== 'datetime')) {
    const dates = [...resource.fields.values()].filter(
      ({ column }) => column?.kind === 'date' || column?.kind === 'datetime',
    )
    const names = dates.map(({ name }) => name)
    const meant = nearest(relativeTo, names)
    site.problem(
      [...path, 'relativeTo'],
      field === undefined
        ? `'${resource.name}' has no field '${relativeTo}'`
        : `'${relativeTo}' of '${resource.name}' is no stored date or datetime`,
      meant === undefined ? `It has ${names.join(', ') || 'none'}` : `Did you mean '${meant}'?`,
    )
    return undefined
  }
  const length =
    offset === undefined
      ? readDuration('0d', OFFSET_BOUNDS)
      : compileDuration(offset, [...path, 'offset'], site, OFFSET_BOUNDS)
  if (length === undefined || !('ms' in length)) return undefined
  return { kind: 'relative', relativeTo: field, isDate: kind === 'date', offset: length, at }
}
