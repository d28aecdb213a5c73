import type { Condition, Row, Table, UpdatePlan, UpdateRowsPlan, Value } from '../plan.ts'

/** The columns that are set in a row. */
export function setColumns({ primaryKey }: Table, row: Row): readonly string[] {
  const keys = new Set(primaryKey.map(({ name }) => name))
  return Object.keys(row).filter((name) => !keys.has(name))
}

/** What becomes of one row, as a plan of its own. */
export function updateOf(table: Table, row: Row, increments: UpdateRowsPlan['increments']): UpdatePlan {
  const set: Record<string, UpdatePlan['set'][string]> = { ...row, ...increments }
  const of = table.primaryKey.map((column): Condition => {
    delete set[column.name]
    return { op: 'eq', column, value: keyOf(row, column.name) }
  })
  const [one] = of
  return { table, set, where: of.length === 1 && one ? one : { op: 'and', of } }
}

/** A part of the key of a row. */
export function keyOf(row: Row, name: string): Exclude<Value, null> {
  const value = row[name]
  if (value === undefined || value === null) throw new Error(`a row to be changed has no '${name}'`)
  return value
}
