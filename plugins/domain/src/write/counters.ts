import { shared } from '@svc/kernel'
import { type Column, column, Increment, type Table, type Transaction } from '@svc/store/contract'
import type { Field } from '../model/field.ts'
import type { Resource } from '../model/resource.ts'
import type { Change } from './change.ts'

const name = column('name', 'text')
const value = column('value', 'integer')

/** The last number of every autoincrement field, kept apart from the records so that none is ever given twice. */
export const COUNTERS: Table = {
  name: 'svc_counters',
  columns: [name, value],
  primaryKey: [name],
  indexes: [],
  foreignKeys: [],
}

/** Numbers that were taken for changes before their turn, by the names of fields. */
const reserved = shared('domain.reserved-numbers', () => new WeakMap<Change, ReadonlyMap<string, number>>())

/** Gives a new record its numbers. */
export async function fillNumbers(change: Change, transaction: Transaction): Promise<void> {
  const { values, resource } = change
  for (const field of numbered(resource)) {
    values[field.name] =
      reserved.get(change)?.get(field.name) ?? (await take(1, resource, field, transaction))
    if (field.primaryKey) change.key = values[field.name] as number
  }
}

/**
 * Takes the numbers of many new records of one resource at once, in their order; one that is refused later leaves a
 * gap. A row that is updated again and again within a transaction takes PostgreSQL longer each time.
 */
export async function reserveNumbers(changes: readonly Change[], transaction: Transaction): Promise<void> {
  const [first] = changes
  if (first === undefined || changes.length < 2) return
  const ends = new Map<string, number>()
  for (const field of numbered(first.resource)) {
    ends.set(field.name, await take(changes.length, first.resource, field, transaction))
  }
  for (const [at, change] of changes.entries()) {
    const before = changes.length - 1 - at
    reserved.set(change, new Map([...ends].map(([field, end]) => [field, end - before])))
  }
}

const numbered = ({ fields }: Resource): readonly Field[] =>
  [...fields.values()].filter(({ compiled, column }) => compiled.type.generated && column !== undefined)

/** The name under which the last number of a field is kept. */
export const counterName = (table: string, field: string): string => `${table}.${field}`

/** Lets a field that is renamed go on counting. */
export async function moveCounter(from: string, to: string, transaction: Transaction): Promise<void> {
  const named = (counter: string) => ({ op: 'eq', column: name, value: counter }) as const
  await transaction.remove({ table: COUNTERS, where: named(to) })
  await transaction.update({ table: COUNTERS, set: { name: to }, where: named(from) })
}

/** Lets a counter go on past every number that was stored while nobody counted. */
export async function raiseCounter(table: Table, column: Column, transaction: Transaction): Promise<void> {
  const last = await lastNumber(table, column, transaction)
  const isNamed = { op: 'eq', column: name, value: counterName(table.name, column.name) } as const
  const isBehind = { op: 'lt', column: value, value: last } as const
  await transaction.update({
    table: COUNTERS,
    set: { value: last },
    where: { op: 'and', of: [isNamed, isBehind] },
  })
}

/** Counts on by `count`; answers the last number of them. */
async function take(
  count: number,
  resource: Resource,
  field: Field,
  transaction: Transaction,
): Promise<number> {
  const counter = counterName(resource.table.name, field.name)
  const known = await step(counter, count, transaction)
  if (known !== undefined) return known
  await begin(counter, resource, field, transaction)
  return (await step(counter, count, transaction))!
}

async function step(counter: string, by: number, transaction: Transaction): Promise<number | undefined> {
  const { rows } = await transaction.update({
    table: COUNTERS,
    set: { value: new Increment(by) },
    where: { op: 'eq', column: name, value: counter },
    returning: [value],
  })
  return rows[0]?.['value'] as number | undefined
}

/** Makes a counter that goes on past every number that is stored already, from before it was there. */
async function begin(
  counter: string,
  { table }: Resource,
  field: Field,
  transaction: Transaction,
): Promise<void> {
  await transaction.insert({
    table: COUNTERS,
    values: { name: counter, value: await lastNumber(table, field.column!, transaction) },
    onConflict: 'ignore',
  })
}

async function lastNumber(table: Table, column: Column, transaction: Transaction): Promise<number> {
  const [last] = await transaction.select({
    table,
    columns: [column],
    where: { op: 'not', of: { op: 'null', column } },
    order: [{ column, descending: true }],
    limit: 1,
  })
  return (last?.[column.name] as number | undefined) ?? 0
}
