import { compileRecurrence, compileTrigger, type Trigger, zoneOf } from '@svc/automation/contract'
import { didYouMean, type Path, type Resource, type Site } from '@svc/domain/contract'
import type { TriggerDefinition, TriggersDefinition } from '../definition/trigger.ts'
import type { ScheduleTrigger } from '../triggers/schedule.ts'

/** What sets an operation off by itself. */
export interface OperationTriggers {
  readonly triggers: readonly Trigger[]
  readonly schedules: readonly ScheduleTrigger[]
  /** The resource that they are about. */
  readonly resource: Resource | undefined
}

/** Compiles the key `trigger`: one, or a list of which all are about one resource. */
export function compileTriggers(
  written: TriggersDefinition | undefined,
  path: Path,
  site: Site,
): OperationTriggers {
  if (written === undefined) return { triggers: [], schedules: [], resource: undefined }
  const isList = Array.isArray(written)
  const triggers: Trigger[] = []
  const schedules: ScheduleTrigger[] = []
  for (const [at, one] of [written].flat().entries()) {
    const place = isList ? [...path, at] : path
    if (one.schedule !== undefined) {
      const schedule = compileSchedule(one, one.schedule, place, site)
      if (schedule) schedules.push(schedule)
      continue
    }
    const { schedule: _, timezone, filter, ...rest } = one
    if (timezone !== undefined)
      site.problem([...place, 'timezone'], "means nothing without 'schedule'", 'Take it away')
    if (filter !== undefined)
      site.problem([...place, 'filter'], "means nothing without 'schedule'", "Write 'condition'")
    if (rest.event === undefined)
      site.problem([...place, 'event'], 'is missing', "Say what happens to a record, or write 'schedule'")
    const trigger = compileTrigger(rest, place, site)
    if (trigger) triggers.push(trigger)
  }
  const [first, ...others] = [...triggers, ...schedules].map(({ resource }) => resource)
  for (const other of others)
    if (other !== first)
      site.problem(
        path,
        `is about ${wordOf(first)} and about ${wordOf(other)}`,
        'Write an operation for each resource',
      )
  return { triggers, schedules, resource: first }
}

const wordOf = (resource: Resource | undefined): string => (resource ? `'${resource.name}'` : 'no record')

/** What means nothing beside `schedule`. */
const OF_EVENTS = ['event', 'transition', 'field', 'fields', 'condition'] as const

function compileSchedule(
  written: TriggerDefinition,
  text: string,
  path: Path,
  site: Site,
): ScheduleTrigger | undefined {
  for (const name of OF_EVENTS)
    if (written[name] !== undefined)
      site.problem([...path, name], "means nothing beside 'schedule'", 'Take one of them away')
  const zone = zoneOf(written.timezone, [...path, 'timezone'], site)
  const compiled = compileRecurrence(text, [...path, 'schedule'], site, zone)
  const { resource: name, filter } = written
  const resource = name === undefined ? undefined : site.model.resources.get(name)
  if (name !== undefined && resource === undefined)
    site.problem(
      [...path, 'resource'],
      `there is no resource '${name}'`,
      didYouMean(name, site.model.resources.keys()),
    )
  if (filter !== undefined && name === undefined)
    site.problem([...path, 'filter'], "means nothing without 'resource'", 'Name the resource')
  const rows =
    filter === undefined || resource === undefined
      ? undefined
      : site.rows(filter, [...path, 'filter'], { resource, moment: 'read' })
  if (compiled === undefined || (name !== undefined && resource === undefined)) return undefined
  if (filter !== undefined && rows === undefined) return undefined
  const { recurrence } = compiled
  return { recurrence, zone, resource, filter: rows, text: `${recurrence.text} ${zone}` }
}
