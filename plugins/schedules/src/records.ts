import { type Resource, waysLeftTo } from '@svc/domain/contract'
import { SYSTEM } from '@svc/kernel'
import type { Condition, Reader, Row, Value } from '@svc/store/contract'
import { occurrenceVariables } from './context.ts'
import type { Schedule, ScheduleSource } from './schedule.ts'
import type { Setting } from './setting.ts'

/**
 * The records of a schedule's source: those of its filter that are not deleted. `planned` is the occurrence of a recurring
 * schedule; of a relative one, whose records have each a moment of their own, the filter is told the present.
 */
export function sourced(schedule: Schedule, planned: number | undefined, setting: Asking): Condition {
  const { source, timing, zone, name } = schedule
  if (source === undefined) return { op: 'never' }
  const { resource, filter } = source
  if (filter === undefined) return living(resource)
  const now = setting.env.now()
  const at = planned ?? now
  const { since } = setting.stateOf(name)
  const nextAt = timing.kind === 'recurring' ? timing.recurrence.next(at, zone, since) : undefined
  const variables = occurrenceVariables(at, nextAt, zone)
  const meets = filter.rows({
    user: SYSTEM,
    op: 'list',
    variables,
    rowsOf: waysLeftTo('automate'),
    now: () => now,
  })
  return { op: 'and', of: [living(resource), meets] }
}

type Asking = Pick<Setting, 'env' | 'stateOf'>

function living({ features, fields }: Resource): Condition {
  const deletedAt = features.softDelete ? fields.get('deletedAt')?.column : undefined
  return deletedAt === undefined ? { op: 'always' } : { op: 'null', column: deletedAt }
}

/** A key as its column holds it, of what is kept of it as text. */
export function keyOf({ key }: ScheduleSource, kept: string): Exclude<Value, null> {
  if (key.kind === 'integer') return Number(kept)
  return key.kind === 'uuid' ? kept.toLowerCase() : kept
}

/** Whether a text that somebody sent may be a key at all: a store that is asked for another one would refuse the question. */
export function mayBeKey({ key }: ScheduleSource, given: string): boolean {
  if (key.kind === 'uuid') return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(given)
  return key.kind !== 'integer' || (Number.isSafeInteger(Number(given)) && String(Number(given)) === given)
}

/** The key of a record, as text. */
export const keyText = ({ key }: ScheduleSource, record: Row): string => String(record[key.name])

/** Those of the records whose keys are among some, in the order of their keys. */
export async function readAmong(
  source: ScheduleSource,
  keys: readonly string[],
  records: Condition,
  reader: Reader,
): Promise<readonly Row[]> {
  if (keys.length === 0) return []
  return reader.select({
    table: source.resource.table,
    columns: source.resource.columns,
    where: {
      op: 'and',
      of: [{ op: 'in', column: source.key, values: keys.map((key) => keyOf(source, key)) }, records],
    },
    order: [{ column: source.key, descending: false }],
  })
}

/** The next of the records in the order of their keys. */
export const readNext = (
  source: ScheduleSource,
  { after, limit, records }: Portion,
  reader: Reader,
): Promise<readonly Row[]> =>
  reader.select({
    table: source.resource.table,
    columns: source.resource.columns,
    where: {
      op: 'and',
      of: [
        ...(after === null ? [] : [{ op: 'gt' as const, column: source.key, value: keyOf(source, after) }]),
        records,
      ],
    },
    order: [{ column: source.key, descending: false }],
    limit,
  })

/** Which records of a source are read next. */
export interface Portion {
  /** The key after which they come; null: the first. */
  readonly after: string | null
  readonly limit: number
  readonly records: Condition
}

/** The condition, for the one record that has a key; for all without one. */
export const onlyOf = (source: ScheduleSource, key: string | null, records: Condition): Condition =>
  key === null
    ? records
    : { op: 'and', of: [{ op: 'eq', column: source.key, value: keyOf(source, key) }, records] }

/** Those records that are there. */
export const present = (records: readonly (Row | undefined)[]): readonly Row[] =>
  records.filter((record) => record !== undefined)
