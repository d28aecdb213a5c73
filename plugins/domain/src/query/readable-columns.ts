import type { Column, Condition, Order, Scalar } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import { refusal } from '../access/refusal.ts'
import { VERSION } from '../model/table.ts'

/**
 * Throws FORBIDDEN where conditions look at a column of the resource that the caller may not read in every record: what
 * they pick would tell of it. What they look at in other tables is asked where they are bound, by `opens`.
 */
export function assertReadable(conditions: readonly Condition[], access: Access): void {
  assertColumns(conditions.flatMap(columnsIn), access)
}

/** The same for what the store works out. */
export function assertReadableScalars(scalars: readonly Scalar[], access: Access): void {
  assertColumns(scalars.flatMap(columnsOf), access)
}

/** The part of an order that tells a caller nothing of what it may not read. */
export const readableOrder = (order: readonly Order[], access: Access): readonly Order[] => {
  const open = readableColumns(access)
  return order.filter(({ column, by }) =>
    by ? columnsOf(by).every((one) => open.has(one)) : open.has(column),
  )
}

function assertColumns(columns: readonly Column[], access: Access): void {
  const open = readableColumns(access)
  const shut = columns.find((column) => !open.has(column))
  if (shut === undefined) return
  throw refusal(access.resource, 'Some of what is asked for', `'${shut.name}' may not be read`)
}

const readableColumns = (access: Access): ReadonlySet<Column> =>
  new Set([
    ...[...access.readableFields()].flatMap(({ column }) => column ?? []),
    access.resource.key.column!,
    VERSION,
  ])

/** The columns of the plan's own table that a condition looks at. */
function columnsIn(condition: Condition): readonly Column[] {
  switch (condition.op) {
    case 'and':
    case 'or':
      return condition.of.flatMap(columnsIn)
    case 'not':
      return columnsIn(condition.of)
    case 'contains':
    case 'custom':
      return condition.columns
    case 'holds':
      return columnsOf(condition.scalar)
    case 'exists':
      return condition.on.map(([, outer]) => outer)
    case 'always':
    case 'never':
      return []
    default:
      return [condition.column]
  }
}

function columnsOf(scalar: Scalar): readonly Column[] {
  switch (scalar.op) {
    case 'column':
    case 'slot':
      return [scalar.column]
    case 'bytes':
      return scalar.columns
    case 'value':
      return []
    case 'compare':
      return [scalar.left, scalar.right].flatMap(columnsOf)
    case 'if':
      return [scalar.test, scalar.consequent, scalar.alternate].flatMap(columnsOf)
    case 'call':
    case 'and':
    case 'or':
    case 'coalesce':
      return scalar.of.flatMap(columnsOf)
    case 'lookup':
    case 'fold':
    case 'some':
      return [scalar.related.on[1]]
    case 'in':
    case 'like':
    case 'null':
    case 'not':
    case 'truncate':
      return columnsOf(scalar.of)
  }
}
