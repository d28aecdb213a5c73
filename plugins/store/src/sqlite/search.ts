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
 * Search by a full-text table of trigrams beside the table, which triggers keep: it holds no text, only where in which
 * row each trigram stands. Its text is lower-cased as that of all comparisons, so that it finds exactly the rows that a
 * comparison would. Its columns go by number: names of fields may mean something to it.
 */
export const sqliteSearch: SearchDialect = {
  create(table, index) {
    const number = rowNumber(table)
    if (number === undefined) return []
    const places = index.columns.map((_, at) => place(at))
    const put = sql`insert into ${named(index)} (rowid, ${listed(places)})`
    const added = sql`${put} values (new.${number}, ${listed(index.columns.map((one) => lower(sql`new.${named(one)}`)))});`
    const removed = sql`delete from ${named(index)} where rowid = old.${number};`
    const trigger = (event: string, of: Sql, body: Sql) =>
      sql`create trigger ${sql.id(`${index.name}_${event}`)} after ${of} on ${named(table)} begin ${body} end`
    const options = sql.raw(`content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'`)
    return [
      sql`create virtual table ${named(index)} using fts5(${listed(places)}, ${options})`,
      sql`${put} select ${number}, ${listed(index.columns.map((one) => lower(named(one))))} from ${named(table)}`,
      trigger('insert', sql.raw('insert'), added),
      trigger('delete', sql.raw('delete'), removed),
      trigger('update', sql`update of ${listed(index.columns.map(named))}`, sql`${removed} ${added}`),
    ]
  },
  drop: (index) => [
    ...['insert', 'delete', 'update'].map(
      (event) => sql`drop trigger if exists ${sql.id(`${index.name}_${event}`)}`,
    ),
    sql`drop table if exists ${named(index)}`,
  ],
  bind(search) {
    const { columns } = search
    const text = search.text.toLowerCase()
    const index = indexFor(search)
    if (index === undefined) return { by: 'compared', values: columns.map(() => text) }
    const places = columns.map((column) => `c${positionOf(column, index)}`)
    return { by: 'found', values: [`{${places.join(' ')}} : "${text.replaceAll('"', '""')}"`] }
  },
  matches(search, from) {
    const index = indexFor(search)
    if (index === undefined) {
      return chained(
        search.columns.map((column) => sql`instr(${lower(named(column))}, ${PARAMETER}) > 0`),
        'or',
      )
    }
    const found = sql`select rowid from ${named(index)} where ${named(index)} match ${PARAMETER}`
    return sql`${named(from)}.${rowNumber(search.table)} in (${found})`
  },
}

/** The index that finds what is searched for; undefined where rows have to be compared. */
function indexFor({ table, columns, text }: Contains): Index | undefined {
  if (columns.length === 0 || Array.from(text.toLowerCase()).length < SHORTEST) return undefined
  if (rowNumber(table) === undefined) return undefined
  return table.indexes.find(
    (index) => index.search && columns.every((column) => positionOf(column, index) >= 0),
  )
}

function rowNumber({ columns }: Table): Sql | undefined {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()))
  const free = ROW_NUMBERS.find((name) => !taken.has(name))
  return free && sql.raw(free)
}

const lower = (text: Sql): Sql => sql`${sql.raw(functionName('lower'))}(${text})`

const place = (at: number): Sql => sql.raw(`c${at}`)

const positionOf = ({ name }: Column, index: Index): number =>
  index.columns.findIndex((column) => column.name === name)
