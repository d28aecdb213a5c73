import type { Resource } from '@svc/domain/contract'
import { SYSTEM } from '@svc/kernel'
import type { Condition, Reader, Row, Value } from '@svc/store/contract'
import type { ScheduleSource } from './schedule.ts'

/** The records of a source: those of its filter that are not deleted. `now` is in milliseconds since 1970. */
export function sourced({ resource, filter }: ScheduleSource, now: number, variables: Row = {}): Condition {
  const of = [living(resource)]
  if (filter !== undefined) of.push(filter.rows({ user: SYSTEM, op: 'list', variables, now: () => now }))
  return { op: 'and', of }
}

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

/** Those records of a source whose keys are among some, in the order of their keys. */
export async function readAmong(
  source: ScheduleSource,
  keys: readonly string[],
  reader: Reader,
  now: number,
  variables?: Row,
): Promise<readonly Row[]> {
  if (keys.length === 0) return []
  return reader.select({
    table: source.resource.table,
    columns: source.resource.columns,
    where: {
      op: 'and',
      of: [
        { op: 'in', column: source.key, values: keys.map((key) => keyOf(source, key)) },
        sourced(source, now, variables),
      ],
    },
    order: [{ column: source.key, descending: false }],
  })
}

/** The next records of a source in the order of their keys, without what `columns` leave out. */
export const readNext = (
  source: ScheduleSource,
  { after, limit, now, where = [] }: Portion,
  reader: Reader,
): Promise<readonly Row[]> =>
  reader.select({
    table: source.resource.table,
    columns: source.resource.columns,
    where: {
      op: 'and',
      of: [
        ...(after === null ? [] : [{ op: 'gt' as const, column: source.key, value: keyOf(source, after) }]),
        sourced(source, now),
        ...where,
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
  readonly now: number
  readonly where?: readonly Condition[]
}

/** Those records that are there. */
export const present = (records: readonly (Row | undefined)[]): readonly Row[] =>
  records.filter((record) => record !== undefined)
