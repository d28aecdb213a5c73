import { sql } from 'kysely'
import type { Column, InsertPlan, Row, Table } from '../plan.ts'
import { columnOf, defaultsOf } from './columns.ts'
import { type Form, listed, named, nothing, PARAMETER } from './form.ts'
import { ownerOf } from './owner.ts'
import { readCondition } from './read-condition.ts'
import { writeCondition } from './where.ts'

export const insert: Form<InsertPlan> = {
  kind: 'insert ',
  read({ table, values, onConflict, where }, shape) {
    const of = ownerOf(table, values)
    for (const name of Object.keys(values)) {
      shape.key += `${name},`
      shape.value(columnOf(table, name), values[name] ?? null, of)
    }
    for (const { column, value } of defaultsOf(table)) {
      if (!Object.hasOwn(values, column.name)) shape.value(column, value, of)
    }
    if (where !== undefined) {
      shape.key += ' where '
      readCondition(where, shape)
    }
    if (onConflict !== undefined) shape.key += onConflict
  },
  write(plan, dialect) {
    const columns = writtenColumns(plan.table, plan.values)
    const values = listed(columns.map(() => PARAMETER))
    const row =
      columns.length === 0
        ? sql`default values`
        : sql`(${listed(columns.map(named))}) ${plan.where === undefined ? sql`values (${values})` : sql`select ${values} where ${writeCondition(plan.where, dialect, plan.table)}`}`
    const ignore = plan.onConflict === 'ignore' ? sql` on conflict do nothing` : nothing
    return sql`insert into ${named(plan.table)} ${row}${ignore}`
  },
  returned: () => [],
}

/** The columns of `values`, and after them the ones that take their default. */
export function writtenColumns(table: Table, values: Row): readonly Column[] {
  return [
    ...Object.keys(values).map((name) => columnOf(table, name)),
    ...defaultsOf(table)
      .map(({ column }) => column)
      .filter(({ name }) => !Object.hasOwn(values, name)),
  ]
}
