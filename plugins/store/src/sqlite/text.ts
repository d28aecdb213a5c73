import { sql } from 'kysely'
import type { Sql } from '../compile/dialect.ts'
import { named } from '../compile/form.ts'
import type { Column, ColumnKind } from '../plan.ts'
import { functionName } from './functions.ts'

/** SQLite takes 127 arguments of a function, and a member of an object is two. */
const MOST_MEMBERS = 60

/** The text of a JSON object of `columns`; undefined where they are too many. */
export function jsonText(columns: readonly Column[]): Sql | undefined {
  if (columns.length > MOST_MEMBERS) return undefined
  const members = columns.flatMap((column) => [sql.lit(column.name), VALUE[column.kind](named(column))])
  return sql`json_object(${sql.join(members)})`
}

const asItIs = (column: Sql): Sql => column

/** SQLite keeps whole numbers up to 2^63, of which a double has the first digits alone. */
const MAX_EXACT = sql.lit(Number.MAX_SAFE_INTEGER)

/**
 * SQLite writes the right number, but 5.0 for 5, and more digits than are needed for some: those are written as
 * JavaScript does, so that no store's text differs. Below a million, a fraction of up to four places is the same in both.
 */
const double = (column: Sql): Sql => {
  const isShort = sql`abs(${column}) between 0.0001 and 1e6 and cast(${column} * 1e4 as integer) / 1e4 = ${column}`
  const isWhole = sql`cast(${column} as integer) = ${column}`
  const isExact = sql`typeof(${column}) <> 'real' and ${column} between -${MAX_EXACT} and ${MAX_EXACT}`
  return sql`iif(${column} is null or (${isExact}) or (${isShort} and not ${isWhole}), ${column}, json(${sql.raw(functionName('digits'))}(${column})))`
}

/** A column's value as SQLite's JSON functions take it. */
const VALUE: Readonly<Record<ColumnKind, (column: Sql) => Sql>> = {
  text: asItIs,
  integer: asItIs,
  decimal: double,
  float: double,
  boolean: (column) => sql`json(iif(${column} is null, null, iif(${column}, 'true', 'false')))`,
  date: asItIs,
  time: asItIs,
  datetime: asItIs,
  uuid: asItIs,
  json: (column) => sql`json(${column})`,
}
