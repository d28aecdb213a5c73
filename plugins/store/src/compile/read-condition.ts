import type { Condition } from '../plan.ts'
import { isFound } from './comparison.ts'
import { readCustom } from './custom.ts'
import { assertPlain } from './plain.ts'
import { readScalar } from './scalar.ts'
import type { Shape } from './shape.ts'

/** Adds a condition to the shape of its plan; `negated` where its opposite is meant. */
export function readCondition(condition: Condition, shape: Shape, negated = false): void {
  const { op } = condition
  switch (op) {
    case 'and':
    case 'or':
      shape.key += `${op}(`
      for (const part of condition.of) readCondition(part, shape, negated)
      shape.key += ')'
      return
    case 'not':
      shape.key += '!'
      return readCondition(condition.of, shape, !negated)
    case 'always':
    case 'never':
      shape.key += `${op};`
      return
    case 'null':
      shape.comparisons += 1
      shape.key += `null ${condition.column.name};`
      return
    case 'like':
      assertPlain(condition.column)
      shape.comparisons += 1
      shape.key += `like ${condition.column.name};`
      return shape.pattern(condition.pattern)
    case 'contains':
      shape.comparisons += 1
      condition.columns.forEach(assertPlain)
      shape.key += 'contains '
      return shape.search(condition)
    case 'spatial':
      assertPlain(condition.column)
      shape.comparisons += 1
      return shape.spatial(condition)
    case 'custom':
      return readCustom(condition, shape)
    case 'holds':
      shape.key += 'holds '
      return readScalar(condition.scalar, shape, readCondition)
    case 'exists':
      return readExists(condition, shape)
    case 'in':
      assertPlain(condition.column)
      shape.comparisons += 1
      if (condition.values.length === 0) return void (shape.key += 'never;')
      shape.key += `in ${condition.column.name};`
      return negated
        ? shape.list(condition.column, condition.values)
        : shape.comparedAll(condition.column, condition.values)
    default:
      assertPlain(condition.column)
      shape.comparisons += 1
      shape.key += `${op} ${condition.column.name};`
      return isFound(op, negated)
        ? shape.compared(condition.column, condition.value)
        : shape.value(condition.column, condition.value)
  }
}

type Exists = Extract<Condition, { op: 'exists' }>

function readExists({ table, on, where }: Exists, shape: Shape): void {
  shape.comparisons += 1
  shape.key += 'exists '
  shape.other(table)
  for (const [inner, outer] of on) {
    assertPlain(inner)
    assertPlain(outer)
    shape.key += `${inner.name}=${outer.name},`
  }
  shape.key += '('
  readCondition(where, shape)
  shape.key += ')'
}
