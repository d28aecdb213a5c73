import { sql } from 'kysely'
import { Increment, type UpdatePlan } from '../plan.ts'
import { columnOf } from './columns.ts'
import type { Sql } from './dialect.ts'
import { listed, PARAMETER } from './form.ts'
import { ownerIn } from './owner.ts'
import { assertPlain } from './plain.ts'
import type { Shape } from './shape.ts'

type Setting = Pick<UpdatePlan, 'table' | 'set'>

/** Adds what a statement sets to the shape of its plan. */
export function readSet({ table, set, where }: Setting & Pick<UpdatePlan, 'where'>, shape: Shape): void {
  const of = ownerIn(table, where)
  for (const name of Object.keys(set)) {
    const value = set[name] ?? null
    const column = columnOf(table, name)
    const isIncrement = value instanceof Increment
    if (isIncrement) assertPlain(column)
    shape.key += isIncrement ? `${name}+,` : `${name},`
    shape.value(column, isIncrement ? value.by : value, of)
  }
}

/** The clause of an update that sets columns. */
export function writeSet({ table, set }: Setting): Sql {
  const changes = Object.entries(set).map(([name, value]) => {
    const column = sql.id(name)
    return value instanceof Increment
      ? sql`${column} = ${column} + ${PARAMETER}`
      : sql`${column} = ${PARAMETER}`
  })
  if (changes.length === 0) throw new Error(`an update of '${table.name}' must set a column`)
  return sql`set ${listed(changes)}`
}
