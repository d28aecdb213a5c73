import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  type Column,
  type Condition,
  Increment,
  type Reader,
  type Row,
  type Table,
  type Transaction,
  type UpdatePlan,
  type Value,
} from '@svc/store/contract'
import { VERSION } from '../model/table.ts'
import { moveCounter } from '../write/counters.ts'
import type { Convert, Present } from './convert.ts'

/** Gives every row without a value one. */
export interface Fill {
  readonly kind: 'fill'
  readonly table: Table
  readonly column: Column
  readonly value: Present
}

/** Writes what `convert` makes of the values of one column to another, or to the same. */
export interface Rewrite {
  readonly kind: 'rewrite'
  readonly table: Table
  readonly from: Column
  readonly to: Column
  readonly convert: Convert
  /** Takes the rewriting back, as far as the values allow; absent where nothing is to be done for that. */
  readonly back?: Convert
}

/** Lets a field that the service numbers go on counting under its new name. */
export interface MoveCounter {
  readonly kind: 'moveCounter'
  readonly from: string
  readonly to: string
}

export type DataStep = Fill | Rewrite | MoveCounter

const BATCH = 500

/** Runs a step, on all rows and in batches where it is about rows. */
export async function runData(step: DataStep, transaction: Transaction): Promise<void> {
  if (step.kind === 'moveCounter') await moveCounter(step.from, step.to, transaction)
  else if (step.kind === 'rewrite') await rewrite(step, transaction)
  else await fill(step, transaction)
}

async function fill({ table, column, value }: Fill, transaction: Transaction): Promise<void> {
  const set = written(table, column, value)
  await transaction.update({ table, set, where: { op: 'null', column } })
}

/** Whether a rewriting would change any value. */
export async function changesAny(step: Rewrite, reader: Reader): Promise<boolean> {
  for await (const rows of batches(step, reader)) {
    if ((await changes(step, rows, reader)).length > 0) return true
  }
  return false
}

/** What a step does, in words: it has no SQL of its own. */
export function describeData(step: DataStep): string {
  if (step.kind === 'moveCounter') return `-- the counter '${step.from}' goes on as '${step.to}'`
  const { table } = step
  if (step.kind === 'fill')
    return `-- "${table.name}"."${step.column.name}": ${JSON.stringify(step.value)} where it is null`
  return `-- "${table.name}"."${step.to.name}": each value of "${step.from.name}", as far as it fits`
}

async function rewrite(step: Rewrite, transaction: Transaction): Promise<void> {
  const { table, to } = step
  for await (const rows of batches(step, transaction)) {
    for (const { value, keys } of await changes(step, rows, transaction)) {
      const where = { op: 'in', column: keyOf(table), values: keys } as const
      await transaction.update({ table, set: written(table, to, value), where })
    }
  }
}

/** A migration's write counts as one of the record, whose tag changes with it. */
function written({ columns }: Table, { name }: Column, value: Value): UpdatePlan['set'] {
  const counted = columns.some((column) => column.name === VERSION.name)
  return { [name]: value, ...(counted && { [VERSION.name]: new Increment(1) }) }
}

interface Change {
  readonly value: Value
  readonly keys: Present[]
}

/** What is to be written for a batch: one entry for all rows that get the same value. */
async function changes(step: Rewrite, rows: readonly Row[], reader: Reader): Promise<readonly Change[]> {
  const { table, from, to } = step
  const found = rows.flatMap((row) => pairOf(row[keyOf(table).name], row[from.name]))
  const converted = await step.convert(
    found.map(({ value }) => value),
    reader,
  )
  const groups = new Map<string, Change>()
  found.forEach(({ key, value: old }, at) => {
    const value = converted[at] ?? null
    if (from.name === to.name && isDeepStrictEqual(value, old)) return
    const text = JSON.stringify(value)
    const group = groups.get(text) ?? { value, keys: [] }
    groups.set(text, group)
    group.keys.push(key)
  })
  return [...groups.values()]
}

const pairOf = (key: Value | undefined, value: Value | undefined) =>
  key === null || key === undefined || value === null || value === undefined ? [] : [{ key, value }]

/** The rows that have a value, in the order of their keys. */
async function* batches({ table, from }: Rewrite, reader: Reader): AsyncIterable<readonly Row[]> {
  const key = keyOf(table)
  const columns = key.name === from.name ? [key] : [key, from]
  const order = [{ column: key, descending: false }]
  const filled: Condition = { op: 'not', of: { op: 'null', column: from } }
  let where: Condition = filled
  for (;;) {
    const rows = await reader.select({ table, columns, where, order, limit: BATCH })
    if (rows.length > 0) yield rows
    // Others get their turn: a table may take minutes.
    await setImmediate()
    const last = rows.at(-1)?.[key.name]
    if (rows.length < BATCH || last === undefined || last === null) return
    where = { op: 'and', of: [filled, { op: 'gt', column: key, value: last }] }
  }
}

/** Only tables of resources are rewritten, and their key is one column. */
function keyOf({ name, primaryKey: [key] }: Table): Column {
  if (key === undefined) throw new Error(`the table '${name}' has no key`)
  return key
}
