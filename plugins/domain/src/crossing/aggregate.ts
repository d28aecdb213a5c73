import { type AggregateName, type Aggregation, type Filter, SELF, translate } from '@svc/expression/contract'
import type { AggregatePlan, Column, Condition, Measure, Reader, Row, Value } from '@svc/store/contract'
import type { Resource } from '../model/resource.ts'
import { allOf, liveRows } from '../query/live.ts'
import { takenApart } from './filter-parts.ts'

/** What an aggregate is worked out of. */
export interface Aggregated {
  readonly target: Resource
  readonly field: string
  readonly asks: Aggregation
}

/** How it is worked out. */
export interface AggregateReading {
  readonly reader: Reader
  readonly now: () => number
}

/** So many values one statement asks for. */
const AT_ONCE = 500

/**
 * What an aggregate comes to for each of the records: one statement for all records whose filter reads the same, and one for
 * hundreds of them where the filter says no more of them than what one field of the others is equal to.
 */
export async function aggregatesFor(
  one: Aggregated,
  records: readonly Row[],
  reading: AggregateReading,
): Promise<readonly Value[]> {
  const { filter } = one.asks
  if (filter === undefined) {
    const value = await single(one, [], reading)
    return records.map(() => value)
  }
  const alike = new Map<string, Row[]>()
  for (const record of records) {
    const key = keyOf(record, filter)
    const group = alike.get(key)
    if (group) group.push(record)
    else alike.set(key, [record])
  }
  const grouped = alike.size > 1 ? groupingOf(filter, one.target) : undefined
  const values =
    grouped === undefined
      ? await eachApart(one, alike, reading)
      : await inGroups(one, alike, { ...reading, ...grouped })
  return records.map((record) => values.get(keyOf(record, filter)) ?? null)
}

const keyOf = (record: Row, { own }: Filter): string =>
  JSON.stringify([...own].map((name) => record[name] ?? null))

type Alike = ReadonlyMap<string, readonly Row[]>

async function eachApart(
  one: Aggregated,
  alike: Alike,
  reading: AggregateReading,
): Promise<Map<string, Value>> {
  const values = new Map<string, Value>()
  for (const [key, [record]] of alike)
    values.set(key, await single(one, [filterRows(one, record!, reading.now)], reading))
  return values
}

async function single(
  { target, field, asks: { fn } }: Aggregated,
  where: readonly Condition[],
  { reader }: AggregateReading,
): Promise<Value> {
  const [row] = await reader.aggregate({ ...planOf(target, field, fn, where), by: {} })
  return row === undefined ? null : valueIn(row, fn)
}

/** The others that a filter leaves for one record. */
function filterRows({ target, asks: { filter } }: Aggregated, record: Row, now: () => number): Condition {
  if (filter === undefined) return { op: 'always' }
  return translated(
    filter,
    target,
  )({
    variables: { [SELF]: { ...record } },
    rowsOf: 'author',
    now,
  })
}

const kept = new WeakMap<Filter, ReturnType<typeof translate>>()

/** A filter belongs to one expression of one model, and so to one resource. */
function translated(filter: Filter, target: Resource): ReturnType<typeof translate> {
  const known = kept.get(filter)
  if (known !== undefined) return known
  const made = translate(filter, { vocabulary: filter.vocabulary, columns: columnsOf(target) })
  kept.set(filter, made)
  return made
}

export const columnsOf = ({ fields }: Resource): ReadonlyMap<string, Column> =>
  new Map([...fields.values()].flatMap(({ name, column }) => (column ? [[name, column]] : [])))

interface Grouping {
  /** The column of the others by which they are told apart, and the field of the record that it is equal to. */
  readonly by: Column
  readonly own: string
}

/** The kinds of which equal values are the same value, on every store and in this process. */
const PLAIN: ReadonlySet<Column['kind']> = new Set(['text', 'uuid', 'integer', 'boolean'])

/** The one equality that is all that a filter says of the record; undefined where it says anything else. */
function groupingOf(filter: Filter, target: Resource): Grouping | undefined {
  const { ast, own } = filter
  const { equalities, alone } = takenApart(filter)
  const [first, ...more] = equalities
  const [name] = own
  if (first === undefined || more.length > 0 || own.size !== 1 || name === undefined) return undefined
  if (alone.length + 1 !== partsCount(ast) || first.own.kind !== 'name' || first.own.name !== name)
    return undefined
  const by = target.fields.get(first.field)?.column
  return by !== undefined && PLAIN.has(by.kind) ? { by, own: name } : undefined
}

const partsCount = (ast: Filter['ast']): number =>
  ast.kind === 'binary' && ast.operator === 'and' ? partsCount(ast.left) + partsCount(ast.right) : 1

async function inGroups(
  one: Aggregated,
  alike: Alike,
  { by, own, ...reading }: AggregateReading & Grouping,
): Promise<Map<string, Value>> {
  const { target, field, asks } = one
  const { fn } = asks
  const found = new Map<string, Value>()
  const wanted = [...alike].map(([key, [record]]) => ({ key, record: record!, value: record![own] ?? null }))
  const groupable = wanted.filter(({ value }) => isOf(value, by))
  for (let at = 0; at < groupable.length; at += AT_ONCE) {
    const part = groupable.slice(at, at + AT_ONCE)
    const values = part.map(({ value }) => value).filter((value) => value !== null)
    // What a filter says besides is the same for all of them.
    const alone = aloneRows(one, reading.now)
    const plan = planOf(target, field, fn, [{ op: 'in', column: by, values }, ...alone])
    const rows = await reading.reader.aggregate({ ...plan, by: { of: { op: 'column', column: by } } })
    const made = new Map(rows.map((row) => [row['of'] ?? null, valueIn(row, fn)]))
    for (const { key, value } of part) found.set(key, made.get(value) ?? overNothing(fn))
  }
  const rest = new Map(
    wanted.filter(({ value }) => !isOf(value, by)).map(({ key, record }) => [key, [record]]),
  )
  for (const [key, value] of await eachApart(one, rest, reading)) found.set(key, value)
  return found
}

/** Whether a value may be looked for in a column as it is. */
function isOf(value: Value, { kind }: Column): boolean {
  if (kind === 'boolean') return typeof value === 'boolean'
  return kind === 'integer' ? Number.isSafeInteger(value) : typeof value === 'string'
}

/** The parts of a filter that speak of the others alone. */
function aloneRows({ target, asks: { filter } }: Aggregated, now: () => number): readonly Condition[] {
  if (filter === undefined) return []
  return takenApart(filter).alone.map((ast) => {
    const place = { vocabulary: filter.vocabulary, columns: columnsOf(target) }
    return translate({ ast, kinds: filter.kinds }, place)({ rowsOf: 'author', now })
  })
}

function planOf(
  target: Resource,
  field: string,
  fn: AggregateName,
  where: readonly Condition[],
): Omit<AggregatePlan, 'by'> {
  return {
    table: target.table,
    where: allOf([...liveRows(target), ...where]),
    measures: measures(target, field, fn),
  }
}

function measures({ fields }: Resource, field: string, fn: AggregateName): Readonly<Record<string, Measure>> {
  const column = fields.get(field)?.column
  if (column === undefined) throw new Error(`nothing can be made of '${field}', which is not stored`)
  const count: Measure = { fn: 'count', where: { op: 'not', of: { op: 'null', column } } }
  if (fn === 'count') return { count }
  const scalar = { op: 'column', column } as const
  return { count, value: { fn: fn === 'avg' ? 'sum' : fn, scalar } }
}

/** The value in the words of AEL: an average is the exact sum by the count, not rounded. */
function valueIn(row: Row, fn: AggregateName): Value {
  const count = Number(row['count'] ?? 0)
  if (fn === 'count') return count
  if (count === 0) return overNothing(fn)
  const value = row['value'] ?? null
  if (fn !== 'avg' || typeof value !== 'number') return value
  const average = value / count
  return Number.isFinite(average) ? average : null
}

const overNothing = (fn: AggregateName): Value => (fn === 'count' || fn === 'sum' ? 0 : null)
