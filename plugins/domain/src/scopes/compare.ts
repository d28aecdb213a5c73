import type { Scalar } from '@svc/store/contract'
import {
  as,
  compareInstants,
  comparePlainly,
  condition,
  constant,
  isNull,
  junction,
  not,
  NULL,
  type Term,
} from '@svc/expression/contract'
import { areDates, coerce, kindAmong, type Operand, refusal } from './operand.ts'

type By = Exclude<Extract<Scalar, { readonly op: 'compare' }>['by'], 'same'>

/** Each sign of comparison. */
export const COMPARISONS: ReadonlyMap<string, By> = new Map([
  ['=', 'eq'],
  ['<>', 'ne'],
  ['!=', 'ne'],
  ['<', 'lt'],
  ['<=', 'lte'],
  ['>', 'gt'],
  ['>=', 'gte'],
])

/** A condition of several operands. */
export function conditionOf(
  operands: readonly Operand[],
  decide: (...terms: readonly Term[]) => Term,
): Operand {
  return {
    offset: operands[0]?.offset ?? 0,
    kind: 'boolean',
    height: heightOver(operands),
    bind: (binding) => decide(...operands.map((operand) => operand.bind(binding))),
  }
}

export const heightOver = (operands: readonly Operand[]): number =>
  operands.reduce((height, operand) => Math.max(height, operand.height), 0) + 1

/** `left = right` and its like. */
export function comparisonOf(by: By, left: Operand, right: Operand): Operand {
  const [a, b] = alike([left, right])
  if (a === undefined || b === undefined) throw refusal(left.offset, 'a comparison has two sides')
  if (a.kind === 'boolean' && by !== 'eq' && by !== 'ne') {
    throw refusal(left.offset, 'true and false have no order', 'write = or <>')
  }
  return conditionOf([a, b], (first = NULL, second = NULL) => comparing(a, b)(by, first, second))
}

const comparing = (a: Operand, b: Operand): typeof comparePlainly =>
  areDates(a.kind, b.kind) && a.kind !== b.kind ? compareInstants : comparePlainly

const alike = (operands: readonly Operand[]): readonly Operand[] => {
  const kind = kindAmong(operands)
  return operands.map((operand) => coerce(operand, kind))
}

/** `needle IN (…)`. */
export function membershipOf(needle: Operand, list: readonly Operand[]): Operand {
  const [one, ...items] = alike([needle, ...list])
  if (one === undefined) throw refusal(needle.offset, 'IN needs a value before it')
  return conditionOf([one, ...items], (sought = NULL, ...found) => {
    const values = items.every((item) => item.kind === one.kind) ? valuesOf(sought, found) : undefined
    if (sought.scalar !== undefined && values !== undefined) {
      return condition({ op: 'in', of: sought.scalar, type: sought.type, values })
    }
    return junction(
      'or',
      found.map((term, i) => comparing(one, items[i] ?? one)('eq', sought, term)),
    )
  })
}

/** The values of a list that holds nothing else. */
function valuesOf(sought: Term, terms: readonly Term[]): readonly (string | number | boolean)[] | undefined {
  if (sought.scalar === undefined) return undefined
  const { type } = sought
  const values = terms.flatMap((term) => {
    const scalar = term.scalar === undefined ? as(term, type) : undefined
    return scalar?.op === 'value' && scalar.value !== null ? scalar.value : []
  })
  return values.length === terms.length ? values : undefined
}

/** `value BETWEEN low AND high`. */
export const betweenOf = (value: Operand, low: Operand, high: Operand): Operand =>
  allOf([comparisonOf('gte', value, low), comparisonOf('lte', value, high)])

/** `text LIKE pattern`: case is ignored as everywhere in the service. */
export function likeOf(text: Operand, pattern: Operand): Operand {
  if (pattern.kind !== undefined && typeof pattern.literal !== 'string') {
    throw refusal(pattern.offset, 'LIKE takes a text that is written out, or a placeholder')
  }
  return conditionOf([coerce(text, 'text'), pattern], (of = NULL, wanted = NULL) => {
    const [whole, like] = [as(of, 'text'), as(wanted, 'text')]
    if (whole === undefined || like?.op !== 'value') return NULL
    return condition({ op: 'like', of: whole, pattern: String(like.value) })
  })
}

export const nullTestOf = (operand: Operand): Operand => conditionOf([operand], (term = NULL) => isNull(term))
export const notOf = (operand: Operand): Operand => conditionOf([operand], (term = NULL) => not(term))
export const allOf = (operands: readonly Operand[]): Operand =>
  conditionOf(operands, (...terms) => junction('and', terms))
export const anyOf = (operands: readonly Operand[]): Operand =>
  conditionOf(operands, (...terms) => junction('or', terms))
export const truth = (value: boolean, offset: number): Operand => ({
  offset,
  kind: 'boolean',
  height: 1,
  bind: () => constant(value),
})
