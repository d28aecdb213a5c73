import type { Column, Condition, Row, SelectPlan, Table, UpdatePlan, Value } from '../plan.ts'

/** A look at one row that a transaction would have held, taken outside of it. */
export interface Glimpse {
  readonly plan: SelectPlan
  readonly counted: Column
  readonly rows: Promise<readonly Row[]>
  /** The same, once they are there. */
  seen?: readonly Row[]
}

/** The condition under which nobody has written the row of an update since; undefined where the look was at another. */
export function sinceGlimpse(
  { plan, counted, seen }: Glimpse,
  { table, where }: UpdatePlan,
): Condition | undefined {
  const key = keyIn(where, table)
  if (table !== plan.table || key === undefined || key !== keyIn(plan.where, table)) return undefined
  const value = seen?.[0]?.[counted.name] ?? null
  return value === null ? undefined : { op: 'eq', column: counted, value }
}

/** Whether rows that are held now are those that were seen. */
export async function isUnchanged(
  { counted: { name }, rows }: Glimpse,
  held: readonly Row[],
): Promise<boolean> {
  const seen = await rows
  return seen.length === held.length && seen.every((row, at) => row[name] === held[at]?.[name])
}

/** The key of the one row that a condition can hold for. */
export function keyIn(where: Condition, table: Table): Value | undefined {
  if (where.op === 'and') {
    for (const part of where.of) {
      const key = keyIn(part, table)
      if (key !== undefined) return key
    }
  }
  const isKey = where.op === 'eq' && where.column === table.primaryKey[0] && table.primaryKey.length === 1
  return isKey ? where.value : undefined
}
