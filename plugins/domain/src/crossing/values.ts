import type { Crossing, Expression, Lookup, Node } from '@svc/expression/contract'
import type { Reader, Row, Value } from '@svc/store/contract'
import type { Resource } from '../model/resource.ts'
import { allOf, liveRows } from '../query/live.ts'
import { aggregatesFor } from './aggregate.ts'

/** How what formulas look for in other records is read. */
export interface CrossReading {
  readonly reader: Reader
  /** The resources of the model. */
  readonly resources: ReadonlyMap<string, Resource>
  readonly now: () => number
  /** Whether something may be told; what may not is null. All of it unless said. */
  readonly tells?: (crossing: Crossing, target: Resource) => boolean
}

/** What the calls of an expression come to, by the calls. */
export type Crossed = ReadonlyMap<Node, Value>

/** So many keys one statement asks for. */
const AT_ONCE = 500

/** What the crossings of an expression come to for each of the records, in a few statements for all of them. */
export async function crossedFor(
  { crossings }: Pick<Expression, 'crossings'>,
  records: readonly Row[],
  reading: CrossReading,
): Promise<readonly Crossed[]> {
  const found = records.map(() => new Map<Node, Value>())
  for (const crossing of crossings) {
    const values = await valuesOf(crossing, records, found, reading)
    for (const [at, value] of values.entries()) found[at]!.set(crossing.call, value)
  }
  return found
}

async function valuesOf(
  crossing: Crossing,
  records: readonly Row[],
  before: readonly Crossed[],
  reading: CrossReading,
): Promise<readonly Value[]> {
  const { resource, field, asks } = crossing
  const target = reading.resources.get(resource)
  if (target === undefined || reading.tells?.(crossing, target) === false) return records.map(() => null)
  if (asks.kind === 'aggregate') return aggregatesFor({ target, field, asks }, records, reading)
  return lookedUp({ target, field, asks }, records, before, reading)
}

interface Looking {
  readonly target: Resource
  readonly field: string
  readonly asks: Lookup
}

async function lookedUp(
  { target, field, asks }: Looking,
  records: readonly Row[],
  before: readonly Crossed[],
  { reader, now }: CrossReading,
): Promise<readonly Value[]> {
  const keys = records.map((record, at) => asks.evaluate({ record, crossed: before[at], now }))
  const column = target.key.column!
  const wanted = [...new Set(keys)].filter((key): key is Exclude<Value, null> => isKeyOf(target, key))
  const values = new Map<Value, Value>()
  for (let at = 0; at < wanted.length; at += AT_ONCE) {
    const among = { op: 'in', column, values: wanted.slice(at, at + AT_ONCE) } as const
    const columns = [...new Set([column, target.fields.get(field)!.column!])]
    const where = allOf([among, ...liveRows(target)])
    for (const row of await reader.select({ table: target.table, columns, where, order: [] }))
      values.set(row[column.name] ?? null, row[field] ?? null)
  }
  return keys.map((key) => values.get(key) ?? null)
}

/** Whether a value can be the key of a record, exactly as it is. */
function isKeyOf({ key }: Resource, value: Value): boolean {
  if (value === null) return false
  const checked = key.compiled.check(value)
  return 'value' in checked && checked.value === value
}
