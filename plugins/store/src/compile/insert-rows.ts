import { sql } from 'kysely'
import type { InsertRowsPlan } from '../plan.ts'
import type { Sql } from './dialect.ts'
import { type Form, listed, named, nothing, PARAMETER } from './form.ts'
import { insert, writtenColumns } from './insert.ts'

/** Rows in one statement: a power of two each, so that a table has few statements whatever the number of rows. */
const LARGEST = 64

export const insertRows: Form<InsertRowsPlan> = {
  kind: 'insert rows ',
  read({ table, rows, onConflict }, shape) {
    for (const values of rows) insert.read({ table, values, ...(onConflict && { onConflict }) }, shape)
  },
  write({ table, rows, onConflict }) {
    const columns = writtenColumns(table, rows[0] ?? {})
    const row: Sql = sql`(${listed(columns.map(() => PARAMETER))})`
    const ignore = onConflict === 'ignore' ? sql` on conflict do nothing` : nothing
    return sql`insert into ${named(table)} (${listed(columns.map(named))}) values ${listed(rows.map(() => row))}${ignore}`
  },
  returned: () => [],
}

/** The plan as plans of one statement each. */
export function* statementsOf(plan: InsertRowsPlan): Iterable<InsertRowsPlan> {
  for (let at = 0; at < plan.rows.length;) {
    const size = Math.min(LARGEST, 2 ** Math.floor(Math.log2(plan.rows.length - at)))
    yield { ...plan, rows: plan.rows.slice(at, at + size) }
    at += size
  }
}
