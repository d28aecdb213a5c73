import {
  column,
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

/**
 * What a statement looks through, however few rows it answers: SQLite keeps everybody waiting meanwhile, and what it answers is in
 * memory all at once. A row that has more bytes is looked through alone.
 */
const MOST_ROWS = 2000
const MOST_BYTES = 500_000
/** Bytes by the words that each of them is compared with. */
const MOST_LOOKS = 10_000_000
/** Rows that a statement answers, where it answers all. */
const BATCH = 500
/** Words that the store looks for; where there are more it takes longer than to read all rows. */
const FEW = 60

/** Any of some texts, given as a list in JSON, stands in a column of texts or of JSON, in any case. */
const STANDS_IN: Operator = {
  name: 'standsIn',
  writings: [
    {
      needs: 'skipLocked',
      // Lower-cased once for all that is looked for.
      sql: fragment`exists (
        select from (select lower(${columnAt(0)}::text) as text offset 0) as row,
          unnest(array(select lower(one) from jsonb_array_elements_text(${valueAt(0)}::jsonb) as one)) as word
        where position(word in text) > 0
      )`,
    },
    { sql: fragment`svc_findsAny(${columnAt(0)}, ${valueAt(0)})` },
  ],
}

/** A table whose rows are looked through. */
export type Searched = Pick<
  Mentioning,
  'table' | 'columns' | 'where' | 'about' | 'isClear' | 'open' | 'close' | 'read'
>

/** Which rows are read, and how much a statement looks through for them. */
export interface Search {
  readonly which: Condition
  readonly rows: number
  readonly bytes: number
}

/**
 * What finds the rows in which some words may stand. Where the words are many, or the store cannot look into the table, all its rows are
 * read, and looked through here.
 */
export const searchFor = (words: readonly string[], mentioning: Searched, model: Model): Search =>
  words.length > FEW || !canSearch(mentioning, model)
    ? { which: mentioning.where ?? ALWAYS, rows: BATCH, bytes: MOST_BYTES }
    : searchPlain(words, mentioning)

/** Sealed values are opened one by one: the store cannot look into them. */
const canSearch = ({ open, isClear }: Searched, model: Model): boolean =>
  isClear === true || (open === undefined && codecOf(model) === undefined)

/** Finds the rows in whose columns some words stand, of which nothing is sealed. */
export function searchPlain(words: readonly string[], { columns, where = ALWAYS }: Searched): Search {
  const values = [JSON.stringify(words)]
  const of = columns.map((column): Condition => ({
    op: 'custom',
    operator: STANDS_IN,
    columns: [column],
    values,
  }))
  const bytes = Math.min(MOST_BYTES, Math.ceil(MOST_LOOKS / words.length))
  return { which: { op: 'and', of: [where, { op: 'or', of }] }, rows: MOST_ROWS, bytes }
}

/** The rows in the order of their keys. */
export async function* rowsOf(
  searched: Searched,
  search: Search,
  reader: Reader,
): AsyncIterable<readonly Row[]> {
  const { table, columns, about, read = [] } = searched
  const named = about === undefined ? [] : [about.recordId, about.resource]
  const own = named.filter((one): one is Column => !('fields' in one))
  const all = new Set([...table.primaryKey, ...columns, ...own, ...read])
  const order = table.primaryKey.map((column) => ({ column, descending: false }))
  for (let after = ALWAYS; ;) {
    const end = await endOf(searched, search, after, reader)
    const of = [search.which, after, ...(end ? [upTo(end, table)] : [])]
    yield await reader.select({ table, columns: [...all], where: { op: 'and', of }, order })
    if (end === undefined) return
    after = behind(end, table)
  }
}

const ALWAYS: Condition = { op: 'always' }
const BYTES = column('bytes~', 'integer')

/** The last row that a statement looks through; undefined where it looks through all that are left. */
async function endOf(
  { table, columns }: Searched,
  { rows: most, bytes }: Search,
  after: Condition,
  reader: Reader,
): Promise<Row | undefined> {
  const rows = await reader.select({
    table,
    columns: table.primaryKey,
    worked: [{ column: BYTES, scalar: { op: 'bytes', columns } }],
    where: after,
    order: table.primaryKey.map((one) => ({ column: one, descending: false })),
    limit: most,
  })
  let sum = 0
  const over = rows.findIndex((row) => (sum += Number(row[BYTES.name])) > bytes)
  return over === -1 ? rows[most - 1] : rows[Math.max(0, over - 1)]
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
