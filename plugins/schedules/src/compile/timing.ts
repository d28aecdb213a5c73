import { compileDuration, compileRecurrence, OFFSET_BOUNDS, readDuration } from '@svc/automation/contract'
import type { Field, Path, Resource, Site } from '@svc/domain/contract'
import { nearest } from '@svc/kernel'
import type { ScheduleDefinition } from '../definition/schedule.ts'
import type { RecurringTiming, RelativeTiming, Timing } from '../schedule.ts'

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
  const at = [...path, 'recurrence']
  const compiled = compileRecurrence(text, at, site, place.zone)
  if (compiled === undefined) return undefined
  const { recurrence, gapMs } = compiled
  if (gapMs < place.heartbeatMs)
    site.warning(
      at,
      `is shorter than the heartbeat of ${place.heartbeatMs / 1000} s: it fires once a heartbeat`,
      "Configure a shorter 'schedules.heartbeat_seconds', or write a longer recurrence",
    )
  return { kind: 'recurring', recurrence, catchUp }
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
  if (field === undefined || !isTold(field)) {
    const names = [...resource.fields.values()].filter(isTold).map(({ name }) => name)
    const meant = nearest(relativeTo, names)
    site.problem(
      [...path, 'relativeTo'],
      field === undefined
        ? `'${resource.name}' has no field '${relativeTo}'`
        : `'${relativeTo}' of '${resource.name}' is ${field.column?.codec === undefined ? 'no stored date or datetime' : 'encrypted: no moment can be told by it'}`,
      meant === undefined ? `It has ${names.join(', ') || 'none'}` : `Did you mean '${meant}'?`,
    )
    return undefined
  }
  const length =
    offset === undefined
      ? readDuration('0d', OFFSET_BOUNDS)
      : compileDuration(offset, [...path, 'offset'], site, OFFSET_BOUNDS)
  if (length === undefined || !('ms' in length)) return undefined
  return { kind: 'relative', relativeTo: field, isDate: field.column?.kind === 'date', offset: length, at }
}

/** Whether it is a date or datetime that the store can read. */
const isTold = ({ column }: Field): boolean =>
  (column?.kind === 'date' || column?.kind === 'datetime') && column.codec === undefined
