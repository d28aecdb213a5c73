import { sql } from 'kysely'
import type { SearchDialect, Sql } from '../compile/dialect.ts'
import { chained, listed, named, PARAMETER } from '../compile/form.ts'
import type { Column, Contains, Index, Table } from '../plan.ts'
import { functionName } from './functions.ts'

/** A full-text table finds whole runs of three characters (https://www.sqlite.org/fts5.html#the_trigram_tokenizer). */
const SHORTEST = 3
/** Under one of these SQLite shows the row's number, unless a column has that name. */
const ROW_NUMBERS = ['_rowid_', 'rowid', 'oid'] as const

/**
 * The bytes that the searchable texts of an indexed row have together at most. Each of its runs of three characters is
 * an entry of the index: to index a text of a mebibyte would keep the process from everything else for a second. Rows
 * of longer texts are compared one by one; an index of their own says which they are.
 */
export const INDEXED_BYTES = 16_384
/** What waits in memory before it is sorted into the index; SQLite's own mebibyte takes a tenth of a second. */
const PENDING_BYTES = 65_536
/** How many rows of a table are indexed by one statement. */
const FILL_ROWS = 8

/**
 * Search by a full-text table of trigrams beside the table, which triggers keep: it holds no text, only where in which
 * row each trigram stands. Its text is lower-cased as that of all comparisons, so that it finds exactly the rows that a
 * comparison would. Its columns go by number: names of fields may mean something to it.
 */
export const sqliteSearch: SearchDialect = {
  create(table, index) {
    const number = rowNumber(table)
    if (number === undefined) return []
    const columns = index.columns.map(named)
    const changed = index.columns.map((column) => sql`new.${named(column)}`)
    const added = sql`${put(index)} select new.${number}, ${listed(changed.map(lower))} where ${size(changed)} <= ${LIMIT};`
    const removed = sql`delete from ${named(index)} where rowid = old.${number};`
    const trigger = (event: string, of: Sql, body: Sql) =>
      sql`create trigger ${sql.id(`${index.name}_${event}`)} after ${of} on ${named(table)} begin ${body} end`
    const options = sql.raw(`content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'`)
    return [
      sql`create virtual table ${named(index)} using fts5(${listed(index.columns.map(place))}, ${options})`,
      sql`insert into ${named(index)} (${named(index)}, rank) values ('hashsize', ${sql.lit(PENDING_BYTES)})`,
      sql`create index ${long(index)} on ${named(table)} (${listed(table.primaryKey.map(named))}) where ${size(columns)} > ${LIMIT}`,
      trigger('insert', sql.raw('insert'), added),
      trigger('delete', sql.raw('delete'), removed),
      trigger('update', sql`update of ${listed(columns)}`, sql`${removed} ${added}`),
    ]
  },
  drop: (index) => [
    ...['insert', 'delete', 'update'].map(
      (event) => sql`drop trigger if exists ${sql.id(`${index.name}_${event}`)}`,
    ),
    sql`drop index if exists ${long(index)}`,
    sql`drop table if exists ${named(index)}`,
  ],
  bind(search) {
    const { columns } = search
    const text = search.text.toLowerCase()
    const compared = columns.map(() => text)
    const index = indexFor(search)
    if (index === undefined) return { by: 'compared', values: compared }
    const places = columns.map((column) => `c${positionOf(column, index)}`)
    return {
      by: 'found',
      values: [`{${places.join(' ')}} : "${text.replaceAll('"', '""')}"`, ...compared],
    }
  },
  matches(search, from) {
    const index = indexFor(search)
    const compared = chained(
      search.columns.map((column) => sql`${FINDS}(${named(column)}, ${PARAMETER})`),
      'or',
    )
    if (index === undefined) return compared
    const number = rowNumber(search.table)
    const found = sql`select rowid from ${named(index)} where ${named(index)} match ${PARAMETER}`
    const isLong = sql`${size(index.columns.map(named))} > ${LIMIT}`
    const others = sql`select ${number} from ${named(search.table)} where ${isLong} and ${compared}`
    return sql`${named(from)}.${number} in (${found} union all ${others})`
  },
}

/** What indexes the rows of a table that are there, a few at a time: those with a number after one, up to another. */
export function fillSearch(table: Table, index: Index): { readonly next: Sql; readonly fill: Sql } {
  const number = rowNumber(table)
  const columns = index.columns.map(named)
  const after = sql`from ${named(table)} where ${number} > ${PARAMETER}`
  return {
    /** Takes the number after which to begin; answers the one up to which the next few rows reach, or null. */
    next: sql`select max(number) as number from (select ${number} as number ${after} order by 1 limit ${sql.lit(FILL_ROWS)})`,
    /** Takes both numbers. */
    fill: sql`${put(index)} select ${number}, ${listed(columns.map(lower))} ${after} and ${number} <= ${PARAMETER} and ${size(columns)} <= ${LIMIT}`,
  }
}

/** The index of the rows that are compared. No other index has its name. */
export const longRowsOf = (index: { readonly name: string }): string => `${index.name}_long`
const long = (index: Index): Sql => sql.id(longRowsOf(index))

/** The index that finds what is searched for; undefined where rows have to be compared. */
function indexFor({ table, columns, text }: Contains): Index | undefined {
  if (columns.length === 0 || Array.from(text.toLowerCase()).length < SHORTEST) return undefined
  if (rowNumber(table) === undefined) return undefined
  return table.indexes.find(
    (index) => index.search && columns.every((column) => positionOf(column, index) >= 0),
  )
}

/** The name of the row's number; undefined where columns have all of its names. */
export function rowNumber({ columns }: Table): Sql | undefined {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()))
  const free = ROW_NUMBERS.find((name) => !taken.has(name))
  return free && sql.raw(free)
}

const LIMIT = sql.lit(INDEXED_BYTES)

/** How many bytes the texts have together; SQLite knows that without reading them. */
const size = (texts: readonly Sql[]): Sql =>
  sql.join(
    texts.map((text) => sql`coalesce(octet_length(${text}), 0)`),
    sql.raw(' + '),
  )

const put = (index: Index): Sql =>
  sql`insert into ${named(index)} (rowid, ${listed(index.columns.map(place))})`

const lower = (text: Sql): Sql => sql`${sql.raw(functionName('lower'))}(${text})`
const FINDS = sql.raw(functionName('finds'))

const place = (_: Column, at: number): Sql => sql.raw(`c${at}`)

const positionOf = ({ name }: Column, index: Index): number =>
  index.columns.findIndex((column) => column.name === name)
