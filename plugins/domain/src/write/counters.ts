import { Increment, type Column, type Table, type Transaction } from '@svc/store/contract'
import type { Field } from '../model/field.ts'
import type { Resource } from '../model/resource.ts'
import type { Change } from './change.ts'

const name: Column = { name: 'name', kind: 'text', nullable: false }
const value: Column = { name: 'value', kind: 'integer', nullable: false }

/** The last number of every autoincrement field, kept apart from the records so that none is ever given twice. */
export const COUNTERS: Table = {
  name: 'svc_counters',
  columns: [name, value],
  primaryKey: [name],
  indexes: [],
  foreignKeys: [],
}

/** Gives a new record its numbers. */
export async function fillNumbers(change: Change, transaction: Transaction): Promise<void> {
  const { values, resource } = change
  for (const field of resource.fields.values()) {
    if (!field.compiled.type.generated || field.column === undefined) continue
    values[field.name] = await next(resource, field, transaction)
    if (field.primaryKey) change.key = values[field.name] as number
  }
}

/** The name under which the last number of a field is kept. */
export const counterName = (table: string, field: string): string => `${table}.${field}`

/** Lets a field that is renamed go on counting. */
export async function moveCounter(from: string, to: string, transaction: Transaction): Promise<void> {
  const named = (counter: string) => ({ op: 'eq', column: name, value: counter }) as const
  await transaction.remove({ table: COUNTERS, where: named(to) })
  await transaction.update({ table: COUNTERS, set: { name: to }, where: named(from) })
}

async function next(resource: Resource, field: Field, transaction: Transaction): Promise<number> {
  const counter = counterName(resource.table.name, field.name)
  return (await step(counter, transaction)) ?? (await begin(counter, resource, field, transaction))
}

async function step(counter: string, transaction: Transaction): Promise<number | undefined> {
  const { rows } = await transaction.update({
    table: COUNTERS,
    set: { value: new Increment(1) },
    where: { op: 'eq', column: name, value: counter },
    returning: [value],
  })
  return rows[0]?.['value'] as number | undefined
}

/** The first number goes past every one that is stored already, from before the counter was there. */
async function begin(
  counter: string,
  { table }: Resource,
  field: Field,
  transaction: Transaction,
): Promise<number> {
  const column = field.column!
  const [last] = await transaction.select({
    table,
    columns: [column],
    where: { op: 'not', of: { op: 'null', column } },
    order: [{ column, descending: true }],
    limit: 1,
  })
  await transaction.insert({
    table: COUNTERS,
    values: { name: counter, value: (last?.[column.name] as number | undefined) ?? 0 },
    onConflict: 'ignore',
  })
  return (await step(counter, transaction))!
}
