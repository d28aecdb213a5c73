import {
  columnAt,
  type Column,
  type Condition,
  fragment,
  openValue,
  type Operator,
  type Reader,
  type Row,
  sealValue,
  type Table,
  valueAt,
  type Value,
} from '@svc/store/contract'
import type { Mentioning } from '../contract/mentions.ts'
import type { Model } from '../model/model.ts'
import { codecOf } from '../operations/idempotent.ts'

/** Rows that are read at once. */
const BATCH = 500
/** Words that one statement looks for, and how many of them the store looks for at all. */
const WORDS = 60
const FEW = 2 * WORDS
/** A text that stands in a column as it is, of texts or of JSON. */
const STANDS_IN: Operator = {
  name: 'standsIn',
  writings: [
    {
      needs: 'skipLocked',
      sql: fragment`position(lower(${valueAt(0)}::text) in lower(${columnAt(0)}::text)) > 0`,
    },
    { sql: fragment`instr(svc_lower(${columnAt(0)}), svc_lower(${valueAt(0)})) > 0` },
  ],
}

/** A table whose rows are looked through. */
export type Searched = Pick<Mentioning, 'table' | 'columns' | 'where' | 'about' | 'open' | 'close' | 'read'>

/**
 * The conditions under which rows are read. Many words would have the store read its table for each handful of them: it is read once
 * and looked through here then, as it is where the store cannot look into it.
 */
export function searchesFor(
  words: readonly string[],
  mentioning: Searched,
  model: Model,
): readonly Condition[] {
  if (words.length > FEW || !canSearch(mentioning, model)) return [mentioning.where ?? { op: 'always' }]
  const searches: Condition[] = []
  for (let at = 0; at < words.length; at += WORDS)
    searches.push(whichOf(mentioning, words.slice(at, at + WORDS)))
  return searches
}

/** Sealed values are opened one by one: the store cannot look into them. */
const canSearch = ({ open }: Searched, model: Model): boolean =>
  open === undefined && codecOf(model) === undefined

/** The rows in whose columns some words stand, as far as the store can look into them. */
export function whichOf({ columns, where }: Searched, words: readonly string[]): Condition {
  const own: Condition = where ?? { op: 'always' }
  const of = columns.flatMap((column) =>
    words.map((word): Condition => ({
      op: 'custom',
      operator: STANDS_IN,
      columns: [column],
      values: [word],
    })),
  )
  return { op: 'and', of: [own, { op: 'or', of }] }
}

/** The rows in the order of their keys. */
export async function* rowsOf(
  { table, columns, about, read = [] }: Searched,
  which: Condition,
  reader: Reader,
): AsyncIterable<readonly Row[]> {
  const named = about === undefined ? [] : [about.recordId, about.resource]
  const own = named.filter((one): one is Column => !('fields' in one))
  const all = new Set([...table.primaryKey, ...columns, ...own, ...read])
  const order = table.primaryKey.map((column) => ({ column, descending: false }))
  let where = which
  for (;;) {
    const rows = await reader.select({ table, columns: [...all], where, order, limit: BATCH })
    yield rows
    const last = rows.at(-1)
    if (rows.length < BATCH || last === undefined) return
    where = { op: 'and', of: [which, afterRow(last, table)] }
  }
}

const keyed = (row: Row, { name }: Column) => row[name] as Exclude<Value, null>

const afterRow = (row: Row, { primaryKey }: Table): Condition => ({
  op: 'or',
  of: primaryKey.map((column, at) => ({
    op: 'and',
    of: [
      ...primaryKey
        .slice(0, at)
        .map((before): Condition => ({ op: 'eq', column: before, value: keyed(row, before) })),
      { op: 'gt', column, value: keyed(row, column) },
    ],
  })),
})

export const keyIn = (row: Row, { primaryKey }: Table): Row =>
  Object.fromEntries(primaryKey.map((column) => [column.name, keyed(row, column)]))

export const openedOf = (kept: Value, column: Column, { open }: Searched, model: Model): Value | undefined =>
  open === undefined ? openValue({ codec: codecOf(model) }, kept) : open(kept, column)

export function closedOf(
  value: Value,
  kept: Value,
  column: Column,
  { close }: Searched,
  model: Model,
): Value {
  if (close !== undefined) return close(value, kept, column)
  const isSealed = openValue({}, kept) !== kept
  return isSealed ? sealValue({ codec: codecOf(model) }, value) : value
}
