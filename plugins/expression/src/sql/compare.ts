import type { Scalar, ScalarType, Value } from '@svc/store/contract'
import { DAY, readInstant, writeInstant } from '../values/instant.ts'
import { isList } from '../values/kind.ts'
import { COMPARISONS, INSTANT_COMPARISONS } from '../values/semantics.ts'
import {
  as,
  condition,
  constant,
  isNull,
  junction,
  NULL,
  type Part,
  single,
  type Term,
  Untranslatable,
  valueOf,
} from './term.ts'

type By = Extract<Scalar, { readonly op: 'compare' }>['by']
type Compare = (by: By, left: Term, right: Term) => Term

const compare = (by: By, left: Scalar, right: Scalar): Term => condition({ op: 'compare', by, left, right })

/** The operator of the closures that means the same between values of which none is null. */
const MEANT = {
  same: '==',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  eq: '==',
  ne: '!=',
} as const satisfies Record<By, string>
const MIRRORED = {
  eq: 'eq',
  ne: 'ne',
  lt: 'gt',
  lte: 'gte',
  gt: 'lt',
  gte: 'lte',
  same: 'same',
} as const satisfies Record<By, By>

/** Compares values as they are. Those of different types are the same only where both are null, and never ordered. */
export const comparePlainly: Compare = (by, left, right) => {
  if (left.scalar === undefined) {
    if (right.scalar === undefined) return decided(by, COMPARISONS, left.value, right.value)
    return comparePlainly(MIRRORED[by], right, left)
  }
  if (right.scalar === undefined && right.value === null) return by === 'same' ? isNull(left) : NULL
  const other = as(right, left.type)
  if (other === undefined) return differing(by, left, right)
  return left.type === 'boolean' && isOrder(by) ? NULL : compare(by, left.scalar, other)
}

function decided(by: By, comparisons: typeof INSTANT_COMPARISONS, left: Value, right: Value): Term {
  const isUnknown = by !== 'same' && (left === null || right === null)
  return isUnknown ? NULL : constant(comparisons[MEANT[by]](left, right))
}

const isOrder = (by: By): boolean => by !== 'same' && by !== 'eq' && by !== 'ne'

const differing: Compare = (by, left, right) =>
  by === 'same' ? junction('and', [isNull(left), isNull(right)]) : NULL

/** Compares dates and date-times of any form; rows give canonical ones. */
export const compareInstants: Compare = (by, left, right) => {
  if (left.scalar === undefined) {
    if (right.scalar === undefined) return decided(by, INSTANT_COMPARISONS, left.value, right.value)
    return compareInstants(MIRRORED[by], right, left)
  }
  if (left.type !== 'text') return differing(by, left, right)
  if (right.scalar === undefined) return compareWithInstant(by, left.scalar, right.value)
  return right.type === 'text'
    ? compare(by, instantOf(left.scalar), instantOf(right.scalar))
    : differing(by, left, right)
}

const instantOf = (text: Scalar): Scalar => ({ op: 'call', name: 'instant', of: [text] })

function compareWithInstant(by: By, text: Scalar, value: Value): Term {
  if (value === null) return by === 'same' ? isNull({ scalar: text, type: 'text' }) : NULL
  const at = readInstant(value)?.at
  if (at === undefined) return by === 'same' ? constant(false) : NULL
  if (text.op !== 'column') return compare(by, instantOf(text), valueOf('number', at))
  return text.column.kind === 'date' ? compareDay(by, text, at) : compare(by, text, written(at, false))
}

/** A day compares with a moment as its midnight does, which an index of days can tell too. */
function compareDay(by: By, day: Scalar, at: number): Term {
  const date = written(at, true)
  if (at % DAY === 0) return compare(by, day, date)
  if (by === 'same') return constant(false)
  if (!isOrder(by)) return compare(by, instantOf(day), valueOf('number', at))
  return compare(by === 'lt' || by === 'lte' ? 'lte' : 'gt', day, date)
}

const written = (at: number, dateOnly: boolean): Scalar => valueOf('text', writeInstant({ at, dateOnly }))

/** Refuses to compare a text of the record as an instant: what it holds is known only when it is read. */
export function assertInstants(parts: readonly Part[]): void {
  const text = parts.find(({ type, form }) => type === 'text' && form === undefined)
  if (text)
    throw new Untranslatable(text.node, 'a text of the record may or may not be a date: SQL cannot tell')
}

/** Whether a value is in a list that is known, or in a list that reads the record. */
export function among(needle: Part, list: Part, asInstants: boolean): Part['bind'] {
  const compareOne = asInstants ? compareInstants : comparePlainly
  const one = single(needle)
  if (list.type === undefined) {
    if (asInstants) assertInstants([one])
    return (context) => amongValues(one.bind(context), list.bind(context), asInstants)
  }
  const items = list.items?.map(single)
  if (items === undefined) {
    single(list)
    return () => NULL
  }
  if (asInstants) assertInstants([one, ...items])
  return (context) => {
    const term = one.bind(context)
    return junction(
      'or',
      items.map((item) => compareOne('same', term, item.bind(context))),
    )
  }
}

function amongValues(needle: Term, list: Term, asInstants: boolean): Term {
  const values = list.scalar === undefined ? list.value : null
  if (!isList(values)) return NULL
  if (needle.scalar === undefined)
    return constant((asInstants ? INSTANT_COMPARISONS : COMPARISONS).in(needle.value, values))
  if (asInstants)
    return junction(
      'or',
      values.map((value) => compareInstants('same', needle, constant(value))),
    )
  return isIn(needle.scalar, needle.type, values)
}

/** Values of another type are in no row; null is found where it is in the list. */
function isIn(of: Scalar, type: ScalarType, list: readonly Value[]): Term {
  const values = list.flatMap((value) => {
    const scalar = as(constant(value), type)
    return scalar?.op === 'value' && scalar.value !== null ? scalar.value : []
  })
  const hasNull = list.includes(null)
  if (values.length === 0) return hasNull ? isNull({ scalar: of, type }) : constant(false)
  const [first] = values
  if (values.length === 1 && first !== undefined && !hasNull) return compare('same', of, valueOf(type, first))
  return condition({ op: 'coalesce', of: [{ op: 'in', of, type, values }, valueOf('boolean', hasNull)] })
}
