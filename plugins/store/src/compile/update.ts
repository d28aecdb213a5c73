import { sql } from 'kysely'
import { Increment, type UpdatePlan } from '../plan.ts'
import { columnOf } from './columns.ts'
import { type Form, listed, named, nothing, PARAMETER } from './form.ts'
import { assertNarrow } from './narrow.ts'
import { readCondition } from './read-condition.ts'
import { writeCondition } from './where.ts'

export const update: Form<UpdatePlan> = {
  kind: 'update ',
  read({ table, set, where, returning }, shape) {
    for (const name of Object.keys(set)) {
      const value = set[name] ?? null
      const isIncrement = value instanceof Increment
      shape.key += isIncrement ? `${name}+,` : `${name},`
      shape.value(columnOf(table, name), isIncrement ? value.by : value)
    }
    shape.key += '|'
    readCondition(where, shape)
    assertNarrow(where, shape.comparisons, table)
    if (returning !== undefined) shape.columns(returning)
  },
  write({ table, set, where, returning }, dialect) {
    const changes = Object.entries(set).map(([name, value]) => {
      const column = sql.id(name)
      return value instanceof Increment
        ? sql`${column} = ${column} + ${PARAMETER}`
        : sql`${column} = ${PARAMETER}`
    })
    if (changes.length === 0) throw new Error(`an update of '${table.name}' must set a column`)
    const answer = returning?.length ? sql` returning ${listed(returning.map(dialect.answered))}` : nothing
    return sql`update ${named(table)} set ${listed(changes)} where ${writeCondition(where, dialect, table)}${answer}`
  },
  returned: (plan) => plan.returning ?? [],
}
