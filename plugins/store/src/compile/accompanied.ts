import { sql } from 'kysely'
import type { InsertPlan, Table, UpdatePlan } from '../plan.ts'
import { type Form, listed, named, PARAMETER } from './form.ts'
import { insert, writtenColumns } from './insert.ts'
import { update } from './update.ts'

/** A row that is written where another one is. */
export type Accompanying = Pick<InsertPlan, 'table' | 'values'>

/** A write of at most one row, and the rows that go along with it: all of them are written, or none is. */
export interface AccompaniedPlan<P> {
  /** The table of the write itself. */
  readonly table: Table
  readonly write: P
  /** At least one. */
  readonly rows: readonly Accompanying[]
}

/** The rows that were written, as the statements beside them see them. */
const WRITTEN = { name: '~written' }

/** One statement for all of it; the count says how many rows of the write itself there are. */
const accompanied = <P extends InsertPlan | UpdatePlan>(form: Form<P>): Form<AccompaniedPlan<P>> => ({
  kind: `accompanied ${form.kind}`,
  read({ write, rows }, shape) {
    form.read(write, shape)
    for (const row of rows) {
      shape.key += ' with '
      shape.other(row.table)
      insert.read(row, shape)
    }
  },
  write({ write, rows }, dialect) {
    const added = rows.map(({ table, values }) => {
      const columns = writtenColumns(table, values)
      return sql`insert into ${named(table)} (${listed(columns.map(named))}) select ${listed(columns.map(() => PARAMETER))} from ${named(WRITTEN)}`
    })
    const parts = [sql`${named(WRITTEN)} as (${form.write(write, dialect)} returning 1)`]
    for (const [at, one] of added.slice(0, -1).entries()) parts.push(sql`${sql.id(`~${at}`)} as (${one})`)
    return sql`with ${listed(parts)} ${added.at(-1)!}`
  },
  returned: () => [],
})

export const accompaniedInsert = accompanied<InsertPlan>(insert)
export const accompaniedUpdate = accompanied<UpdatePlan>(update)
