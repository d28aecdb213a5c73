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

/** Rows that a statement looks through, however few of them it answers: SQLite keeps everybody waiting meanwhile. */
const MOST_ROWS = 2000
/** How often it looks for a word in a row. */
const MOST_LOOKS = 8000
/** Rows that it answers, where it answers all. */
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

/** Which rows are read, and how many a statement looks through for them. */
export interface Search {
  readonly which: Condition
  readonly stretch: number
}

/**
 * What finds the rows in which some words may stand. Many words would have the store read its table for each handful of them: it is read
 * once and looked through here then, as it is where the store cannot look into it.
 */
export function searchesFor(words: readonly string[], mentioning: Searched, model: Model): readonly Search[] {
  if (words.length > FEW || !canSearch(mentioning, model))
    return [{ which: mentioning.where ?? { op: 'always' }, stretch: BATCH }]
  const searches: Search[] = []
  for (let at = 0; at < words.length; at += WORDS)
    searches.push(searchFor(words.slice(at, at + WORDS), mentioning))
  return searches
}

/** Sealed values are opened one by one: the store cannot look into them. */
const canSearch = ({ open }: Searched, model: Model): boolean =>
  open === undefined && codecOf(model) === undefined

/** Finds the rows in whose columns some words stand, as far as the store can look into them. */
export function searchFor(words: readonly string[], { columns, where }: Searched): Search {
  const own: Condition = where ?? { op: 'always' }
  const of = columns.flatMap((column) =>
    words.map((word): Condition => ({
      op: 'custom',
      operator: STANDS_IN,
      columns: [column],
      values: [word],
    })),
  )
  const stretch = Math.min(MOST_ROWS, Math.ceil(MOST_LOOKS / words.length))
  return { which: { op: 'and', of: [own, { op: 'or', of }] }, stretch }
}

/** The rows in the order of their keys. */
export async function* rowsOf(
  { table, columns, about, read = [] }: Searched,
  { which, stretch }: Search,
  reader: Reader,
): AsyncIterable<readonly Row[]> {
  const named = about === undefined ? [] : [about.recordId, about.resource]
  const own = named.filter((one): one is Column => !('fields' in one))
  const all = new Set([...table.primaryKey, ...columns, ...own, ...read])
  const order = table.primaryKey.map((column) => ({ column, descending: false }))
  for (let after: Condition = { op: 'always' }; ;) {
    const ahead = { table, columns: table.primaryKey, where: after, order, offset: stretch - 1, limit: 1 }
    const [end] = await reader.select(ahead)
    const of = [which, after, ...(end ? [upTo(end, table)] : [])]
    yield await reader.select({ table, columns: [...all], where: { op: 'and', of }, order })
    if (end === undefined) return
    after = behind(end, table)
  }
}

const keyed = (row: Row, { name }: Column) => row[name] as Exclude<Value, null>

/** The rows behind one in the order of their keys. The first column alone is a bound besides, by which an index begins there. */
const behind = (row: Row, table: Table): Condition => ({
  op: 'and',
  of: [{ op: 'gte', ...firstIn(row, table) }, later(row, table)],
})

/** The rows up to one, itself among them. */
const upTo = (row: Row, table: Table): Condition => ({
  op: 'and',
  of: [
    { op: 'lte', ...firstIn(row, table) },
    { op: 'not', of: later(row, table) },
  ],
})

const firstIn = (row: Row, { primaryKey }: Table) => {
  const column = primaryKey[0]!
  return { column, value: keyed(row, column) }
}

const later = (row: Row, { primaryKey }: Table): Condition => ({
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
