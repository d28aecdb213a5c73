import type { Column, Condition, Table } from '../plan.ts'

type Exists = Extract<Condition, { op: 'exists' }>

/**
 * Whether an index finds the few rows of the inner table that meet the condition. Then it is cheaper to look these up and
 * go out to the rows that they belong to, than to look for one of them from every row.
 */
export const isFew = ({ table, on, where }: Exists): boolean => on.length === 1 && isPicked(where, table)

function isPicked(where: Condition, table: Table): boolean {
  switch (where.op) {
    case 'eq':
    case 'in':
      return leads(where.column, table)
    case 'and':
      return where.of.some((part) => isPicked(part, table))
    case 'or':
      return where.of.length > 0 && where.of.every((part) => isPicked(part, table))
    case 'exists':
      return where.on.every(([, outer]) => leads(outer, table)) && isFew(where)
    default:
      return false
  }
}

/** Whether rows are found by a column. Half of them have the same boolean. */
const leads = (column: Column, { primaryKey, indexes }: Table): boolean =>
  column.kind !== 'boolean' &&
  (primaryKey[0] === column ||
    indexes.some(
      ({ columns, where, search, spatial }) => columns[0] === column && !where && !search && !spatial,
    ))
