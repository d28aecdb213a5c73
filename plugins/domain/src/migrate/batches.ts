import { setImmediate } from 'node:timers/promises'
import {
  type Column,
  type Condition,
  Increment,
  type Reader,
  type Row,
  type Table,
  type UpdatePlan,
} from '@svc/store/contract'
import { VERSION } from '../model/table.ts'

const BATCH = 500

/** Reads the rows that `which` picks in the order of their keys, each with its key, in batches. */
export async function* batches(
  table: Table,
  columns: readonly Column[],
  which: Condition,
  reader: Reader,
): AsyncIterable<readonly Row[]> {
  const key = keyOf(table)
  const read = columns.some(({ name }) => name === key.name) ? columns : [key, ...columns]
  const order = [{ column: key, descending: false }]
  let where = which
  for (;;) {
    const rows = await reader.select({ table, columns: read, where, order, limit: BATCH })
    if (rows.length > 0) yield rows
    // Others get their turn: a table may take minutes.
    await setImmediate()
    const last = rows.at(-1)?.[key.name]
    if (rows.length < BATCH || last === undefined || last === null) return
    where = { op: 'and', of: [which, { op: 'gt', column: key, value: last }] }
  }
}

/** A migration's write counts as one of the record, whose tag changes with it. */
export const counted = ({ columns }: Table): Readonly<Record<string, Increment>> =>
  columns.some(({ name }) => name === VERSION.name) ? { [VERSION.name]: new Increment(1) } : {}

/** What a migration sets in rows. */
export const written = (table: Table, values: Row): UpdatePlan['set'] => ({ ...values, ...counted(table) })

/** Only tables of resources are rewritten, and their key is one column. */
export function keyOf({ name, primaryKey: [key] }: Table): Column {
  if (key === undefined) throw new Error(`the table '${name}' has no key`)
  return key
}
