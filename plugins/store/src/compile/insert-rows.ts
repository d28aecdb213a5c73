import { sql } from 'kysely'
import type { Column, InsertRowsPlan, Row, Value } from '../plan.ts'
import type { Bound, Dialect, Sql } from './dialect.ts'
import { type Form, listed, named, nothing, PARAMETER } from './form.ts'
import { writtenColumns } from './insert.ts'
import { ownerOf } from './owner.ts'
import { bind } from './values.ts'

/** Rows in one statement: a power of two each, so that a table has few statements whatever the number of rows. */
const LARGEST = 64

export const insertRows: Form<InsertRowsPlan> = {
  kind: 'insert rows ',
  read({ table, rows, onConflict }, shape) {
    const columns = writtenColumns(table, rows[0] ?? {})
    shape.columns(columns)
    shape.key += `${rows.length} ${onConflict ?? ''}`
    for (const row of rows) {
      const of = ownerOf(table, row)
      for (const column of columns) shape.value(column, valueIn(row, column), of)
    }
  },
  write({ table, rows, onConflict }) {
    const columns = writtenColumns(table, rows[0] ?? {})
    const row: Sql = sql`(${listed(columns.map(() => PARAMETER))})`
    const ignore = onConflict === 'ignore' ? sql` on conflict do nothing` : nothing
    return sql`insert into ${named(table)} (${listed(columns.map(named))}) values ${listed(rows.map(() => row))}${ignore}`
  },
  returned: () => [],
}

const valueIn = (row: Row, { name, default: otherwise = null }: Column): Value => {
  const value = row[name]
  return value === undefined ? otherwise : value
}

/** The values of each row, in the order in which the statement of a plan with a single row takes them. */
export function* valuesOf({ table, rows }: InsertRowsPlan, { encode }: Dialect): Iterable<readonly Bound[]> {
  const columns = writtenColumns(table, rows[0] ?? {})
  for (const row of rows) {
    const of = ownerOf(table, row)
    yield columns.map((column) => bind(encode, column, valueIn(row, column), of))
  }
}

/** The plan as plans of one statement each. */
export function* statementsOf(plan: InsertRowsPlan): Iterable<InsertRowsPlan> {
  for (let at = 0; at < plan.rows.length;) {
    const size = Math.min(LARGEST, 2 ** Math.floor(Math.log2(plan.rows.length - at)))
    yield { ...plan, rows: plan.rows.slice(at, at + size) }
    at += size
  }
}
