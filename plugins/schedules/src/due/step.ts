import type { BlockStep, Change, Resource } from '@svc/domain/contract'
import type { Row } from '@svc/store/contract'
import type { Schedule } from '../schedule.ts'
import type { KnownState } from '../setting.ts'
import type { Tables } from '../tables/tables.ts'
import { firstMoment, lookAt } from './upkeep.ts'

/** What keeps the moments of records up with their writes. */
export interface DueStep {
  readonly resources: ReadonlySet<Resource>
  concerns(change: Change): boolean
  readonly afterWrite: BlockStep
}

/**
 * Keeps, in the transaction of each write, when a record is due: whoever looks later finds it by that alone. A record that is
 * due too early counts for nothing: whoever looks works its moments out once more.
 */
export function dueStep(
  schedules: readonly Schedule[],
  tables: Tables,
  stateOf: (name: string) => KnownState | undefined,
): DueStep {
  const byResource = new Map<Resource, Schedule[]>()
  for (const schedule of schedules) {
    const { timing, source } = schedule
    if (timing.kind !== 'relative' || source === undefined) continue
    byResource.set(source.resource, [...(byResource.get(source.resource) ?? []), schedule])
  }
  const concerned = (change: Change): readonly Schedule[] =>
    (byResource.get(change.resource) ?? []).filter((schedule) => isConcerned(schedule, change))
  return {
    resources: new Set(byResource.keys()),
    concerns: (change) => concerned(change).length > 0,
    async afterWrite(change, writes) {
      const { key, kind, record } = change
      if (key === undefined) return
      for (const schedule of concerned(change)) {
        const { name } = schedule
        const moment =
          kind === 'delete' || record === undefined
            ? undefined
            : firstMoment(schedule, record, { firstAt: stateOf(name)?.firstAt })
        await lookAt(writes, tables, { schedule: name, recordId: String(key) }, moment)
      }
    },
  }
}

/** Whether a write may change when a schedule is due for the record, or whether it fires. */
function isConcerned(schedule: Schedule, { kind, values, previous }: Change): boolean {
  if (kind === 'create' || kind === 'delete' || kind === 'restore' || previous === undefined) return true
  const watched = watchedFields(schedule)
  return Object.keys(values).some((name) => watched.has(name) && isOther(values, previous, name))
}

const known = new WeakMap<Schedule, ReadonlySet<string>>()

/** The fields whose change makes a schedule look at a record again. */
function watchedFields(schedule: Schedule): ReadonlySet<string> {
  const found = known.get(schedule)
  if (found !== undefined) return found
  const { timing, source, deeds } = schedule
  const watched = new Set([
    ...(timing.kind === 'relative' ? [timing.relativeTo.name] : []),
    ...(source?.watched ?? []),
    ...deeds.flatMap(({ tag }) => tag.expressions.flatMap(({ fields }) => [...fields])),
    'deletedAt',
  ])
  known.set(schedule, watched)
  return watched
}

const isOther = (values: Row, previous: Row, name: string): boolean =>
  JSON.stringify(values[name] ?? null) !== JSON.stringify(previous[name] ?? null)
