import type { Condition, Scalar } from '../plan.ts'
import { partsOf } from './scalar.ts'

/** Refuses a condition that names no rows of its own, before an UPDATE or DELETE takes the whole table. */
export function assertNarrow(
  condition: Condition,
  comparisons: number,
  table: { readonly name: string },
): void {
  if (comparisons > 0 && constantOf(condition) !== true) return
  throw new Error(`a write to '${table.name}' must say which rows: its condition compares no column`)
}

/** What a condition is for every row; undefined where that depends on the row. */
function constantOf(condition: Condition): boolean | undefined {
  switch (condition.op) {
    case 'always':
      return true
    case 'never':
      return false
    case 'in':
      return condition.values.length === 0 ? false : undefined
    case 'contains':
      return condition.columns.length === 0 ? false : undefined
    case 'holds':
      // One that reads no column is the same for every row: it may be true.
      return readsColumn(condition.scalar) ? undefined : true
    case 'not': {
      const inner = constantOf(condition.of)
      return inner === undefined ? undefined : !inner
    }
    case 'and':
    case 'or': {
      const decisive = condition.op === 'or'
      const parts = condition.of.map(constantOf)
      if (parts.includes(decisive)) return decisive
      return parts.includes(undefined) ? undefined : !decisive
    }
    default:
      return undefined
  }
}

const readsColumn = (scalar: Scalar): boolean => READING.has(scalar.op) || partsOf(scalar).some(readsColumn)

/** Related rows are found by a column. */
const READING: ReadonlySet<Scalar['op']> = new Set(['column', 'lookup', 'fold', 'some'])
