import type { Column, ColumnKind, Condition, Related, Scalar } from './plan.ts'

/** The rows for which a boolean scalar is exactly true, by plain comparisons of columns as far as that goes. */
export const holds = (scalar: Scalar): Condition => is(scalar, true)

/** The rows for which a scalar is exactly `wanted`: for those where it is null neither holds. */
function is(scalar: Scalar, wanted: boolean): Condition {
  switch (scalar.op) {
    case 'value':
      return { op: scalar.value === wanted ? 'always' : 'never' }
    case 'not':
      return is(scalar.of, !wanted)
    case 'and':
    case 'or':
      return combine(
        (scalar.op === 'and') === wanted ? 'and' : 'or',
        scalar.of.map((part) => is(part, wanted)),
      )
    case 'coalesce':
      return fallback(scalar, scalar.of, wanted)
    case 'column':
      return { op: 'eq', column: scalar.column, value: wanted }
    case 'some':
      return present(scalar.related, wanted)
    case 'lookup':
      return within(scalar, (of) => of, wanted, true) ?? computed(scalar, wanted)
    case 'null':
      if (scalar.of.op === 'lookup')
        return within(scalar.of, (of) => not({ op: 'null', of }), !wanted, false) ?? computed(scalar, wanted)
      return scalar.of.op === 'column' ? isNull(scalar.of.column, wanted) : computed(scalar, wanted)
    case 'compare':
      return comparison(scalar, wanted)
    case 'in':
      if (scalar.of.op === 'lookup')
        return within(scalar.of, (of) => ({ ...scalar, of }), wanted, true) ?? computed(scalar, wanted)
      return membership(scalar, wanted)
    case 'like':
      if (scalar.of.op === 'lookup')
        return within(scalar.of, (of) => ({ ...scalar, of }), wanted, true) ?? computed(scalar, wanted)
      return scalar.of.op === 'column'
        ? matching(
            scalar.of.column,
            { op: 'like', column: scalar.of.column, pattern: scalar.pattern },
            wanted,
          )
        : computed(scalar, wanted)
    default:
      return computed(scalar, wanted)
  }
}

const computed = (scalar: Scalar, wanted: boolean): Condition => ({
  op: 'holds',
  scalar: wanted ? scalar : { op: 'not', of: scalar },
})

const isNull = (column: Column, wanted: boolean): Condition => {
  const condition: Condition = { op: 'null', column }
  return wanted ? condition : { op: 'not', of: condition }
}

/** `coalesce(x, true)` is true where x is not false, `coalesce(x, false)` where x is true. */
function fallback(scalar: Scalar, of: readonly Scalar[], wanted: boolean): Condition {
  const [first, second, ...more] = of
  if (first === undefined || second?.op !== 'value' || second.value === null || more.length > 0) {
    return computed(scalar, wanted)
  }
  return second.value === wanted ? { op: 'not', of: is(first, !wanted) } : is(first, wanted)
}

/** A condition that is false where the column is null, or the one for all other rows that are not null. */
function matching(column: Column, condition: Condition, wanted: boolean): Condition {
  return wanted ? condition : combine('and', [{ op: 'not', of: condition }, isNull(column, false)])
}

type Compare = Extract<Scalar, { op: 'compare' }>
type Operator = Exclude<Compare['by'], 'same'>

const MIRRORED = { eq: 'eq', ne: 'ne', lt: 'gt', lte: 'gte', gt: 'lt', gte: 'lte', same: 'same' } as const
const OPPOSITE = { eq: 'ne', ne: 'eq', lt: 'gte', lte: 'gt', gt: 'lte', gte: 'lt' } as const

function comparison(scalar: Compare, wanted: boolean): Condition {
  const { left, right, by } = scalar
  if (left.op === 'value' && right.op === 'column') {
    return comparison({ op: 'compare', by: MIRRORED[by], left: right, right: left }, wanted)
  }
  if (right.op !== 'value') return mirrored(scalar, wanted) ?? computed(scalar, wanted)
  if (left.op === 'fold') return counted(scalar, left, right.value, wanted) ?? computed(scalar, wanted)
  if (left.op === 'lookup') return lookedUp(scalar, left, right.value, wanted) ?? computed(scalar, wanted)
  if (left.op !== 'column') return computed(scalar, wanted)
  const { column } = left
  const { value } = right
  if (value === null) return by === 'same' ? isNull(column, wanted) : { op: 'never' }
  if (!STORABLE[column.kind](value)) return computed(scalar, wanted)
  if (by === 'same') return { op: wanted ? 'eq' : 'ne', column, value }
  return compared(column, wanted ? by : OPPOSITE[by], value)
}

const mirrored = ({ left, right, by }: Compare, wanted: boolean): Condition | undefined =>
  left.op === 'value' && (right.op === 'lookup' || right.op === 'fold')
    ? comparison({ op: 'compare', by: MIRRORED[by], left: right, right: left }, wanted)
    : undefined

type Lookup = Extract<Scalar, { op: 'lookup' }>
type Fold = Extract<Scalar, { op: 'fold' }>
type Known = Extract<Scalar, { op: 'value' }>['value']

const not = (of: Scalar): Scalar => ({ op: 'not', of })

/** Rows that have a related one, or those that have none. */
function present({ table, on, where }: Related, wanted: boolean): Condition {
  const exists: Condition = { op: 'exists', table, on: [on], where }
  return wanted ? exists : { op: 'not', of: exists }
}

/**
 * What is asked of the one related row, asked in its own table. Of a row that is not there nothing is true; `strictly` where
 * nothing is false of it either.
 */
function within(
  { related, of, order }: Lookup,
  ask: (of: Scalar) => Scalar,
  wanted: boolean,
  strictly: boolean,
): Condition | undefined {
  if (order.length > 0) return undefined
  const { where } = related
  if (strictly) return present({ ...related, where: combine('and', [where, is(ask(of), wanted)]) }, true)
  return present({ ...related, where: combine('and', [where, is(ask(of), true)]) }, wanted)
}

function lookedUp({ by }: Compare, left: Lookup, value: Known, wanted: boolean): Condition | undefined {
  if (value === null)
    return by === 'same' ? within(left, (of) => not({ op: 'null', of }), !wanted, false) : { op: 'never' }
  const right: Scalar = { op: 'value', type: typeOfValue(value), value }
  return within(left, (of) => ({ op: 'compare', by, left: of, right }), wanted, by !== 'same')
}

const typeOfValue = (value: string | number | boolean): 'text' | 'number' | 'boolean' =>
  typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'boolean'

/** Whether there is a related row at all, where a count is asked for no more than that. */
function counted({ by }: Compare, { by: fold, related, of }: Fold, value: Known, wanted: boolean) {
  if (fold !== 'count') return undefined
  const asked = MORE_THAN_NONE.get(`${by} ${String(value)}`)
  if (asked === undefined) return undefined
  return present(
    { ...related, where: combine('and', [related.where, is({ op: 'null', of }, false)]) },
    asked === wanted,
  )
}

const MORE_THAN_NONE: ReadonlyMap<string, boolean> = new Map([
  ['gt 0', true],
  ['gte 1', true],
  ['ne 0', true],
  ['eq 0', false],
  ['same 0', false],
  ['lte 0', false],
  ['lt 1', false],
])

/** The condition `ne` takes rows without a value, the comparison does not. */
function compared(column: Column, op: Operator, value: string | number | boolean): Condition {
  const condition: Condition = { op, column, value }
  return op === 'ne' && column.nullable ? combine('and', [condition, isNull(column, false)]) : condition
}

function membership(scalar: Extract<Scalar, { op: 'in' }>, wanted: boolean): Condition {
  const { of, values } = scalar
  if (of.op !== 'column' || !values.every(STORABLE[of.column.kind])) return computed(scalar, wanted)
  return matching(of.column, { op: 'in', column: of.column, values }, wanted)
}

/** In the simplest form. */
function combine(op: 'and' | 'or', conditions: readonly Condition[]): Condition {
  const [decisive, idle] = op === 'and' ? (['never', 'always'] as const) : (['always', 'never'] as const)
  if (conditions.some((one) => one.op === decisive)) return { op: decisive }
  const of = conditions.filter((one) => one.op !== idle)
  const [first] = of
  if (first === undefined) return { op: idle }
  return of.length === 1 ? first : { op, of }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value)

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const YEAR = /^(?!0000)\d{4}-/

/** Whether the text is what the store gives back for this moment. */
function isMoment(text: string): boolean {
  const at = YEAR.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(at) && new Date(at).toISOString() === text
}

/** Whether a column of the kind can hold the value as it is, so that both compare in the column's own type. */
const STORABLE: Readonly<Record<ColumnKind, (value: string | number | boolean) => boolean>> = {
  text: isText,
  integer: Number.isSafeInteger,
  decimal: isNumber,
  float: isNumber,
  boolean: (value) => typeof value === 'boolean',
  date: (value) => isText(value) && isMoment(`${value}T00:00:00.000Z`),
  time: () => false,
  datetime: (value) => isText(value) && isMoment(value),
  uuid: (value) => isText(value) && UUID.test(value),
  json: () => false,
}
