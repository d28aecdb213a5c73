import {
  compileTree,
  type Crossing,
  type Equality,
  type Expression,
  type Filter,
  type Known,
  kindOfColumn,
  type Node,
  OTHER,
  translate,
  untranslatable,
  type Vocabulary,
} from '@svc/expression/contract'
import type { Column, Condition, Row, Value } from '@svc/store/contract'
import type { Resource } from '../model/resource.ts'
import { userVocabulary } from '../model/vocabulary.ts'
import { allOf } from '../query/live.ts'
import { columnsOf } from './aggregate.ts'
import { takenApart } from './filter-parts.ts'

/** How a record of the other resource was, and how it is: absent before it came, and after it went. */
export interface Alteration {
  readonly resource: Resource
  readonly before: Row | undefined
  readonly after: Row | undefined
}

/** Up to so many states of others are held against the whole filter; of more it is asked what they are equal to. */
const FEW = 4
/** And up to so many where nothing is said of what they are equal to. */
const SOME = 40

const EVERY_ROW: Condition = { op: 'always' }
const NO_ROW: Condition = { op: 'never' }

/**
 * The records whose formula may find something else for what has been altered, by a condition on their own columns: there may
 * be more of them, and never fewer. `resource` is that of the formula, `target` the one that it looks into.
 */
export function dependentRows(
  { field, reads, asks }: Crossing,
  alterations: readonly Alteration[],
  {
    resource,
    target,
    now,
  }: { readonly resource: Resource; readonly target: Resource; readonly now: () => number },
): Condition {
  const altered = alterations.filter((one) => one.resource === target && isAltered(one, reads))
  if (altered.length === 0) return NO_ROW
  const states = altered.flatMap(({ before, after }) => [before, after].filter((row) => row !== undefined))
  const sides = { resource, target, now }
  if (asks.kind === 'lookup')
    return equalTo({ own: asks.key, field: target.key.name }, states, sides) ?? EVERY_ROW
  const { filter } = asks
  if (filter === undefined) return EVERY_ROW
  // A row whose field is null leaves every aggregate as it is.
  const counting = states.filter((row) => (row[field] ?? null) !== null && meetsAlone(filter, row, now))
  if (counting.length === 0) return NO_ROW
  const { equalities, turned } = takenApart(filter)
  const [equality] = bestFirst(equalities)
  const equal = equality && equalTo(equality, counting, sides)
  const isFew = counting.length <= (equal === undefined ? SOME : FEW)
  const whole = isFew ? anyOf(turned, counting, sides) : undefined
  return allOf([equal ?? EVERY_ROW, whole ?? EVERY_ROW])
}

interface Sides {
  /** The resource of the formula. */
  readonly resource: Resource
  /** The one that it looks into. */
  readonly target: Resource
  readonly now: () => number
}

/** Whether one of these fields is another one. */
const isAltered = ({ before, after }: Alteration, reads: ReadonlySet<string>): boolean =>
  before === undefined ||
  after === undefined ||
  [...reads].some((name) => !isSame(before[name] ?? null, after[name] ?? null))

export const isSame = (a: Value, b: Value): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))

/** What a plain field is equal to an index finds. */
const bestFirst = (equalities: readonly Equality[]): readonly Equality[] =>
  equalities.toSorted((a, b) => Number(b.own.kind === 'name') - Number(a.own.kind === 'name'))

/** The records of which something is equal to a field of one of these; undefined where no store can say it. */
function equalTo({ own, field }: Equality, others: readonly Row[], sides: Sides): Condition | undefined {
  const distinct = [...new Map(others.map((row) => [JSON.stringify(row[field] ?? null), row])).values()]
  const column = sides.target.fields.get(field)?.column
  if (column === undefined) return undefined
  const at = own.offset
  const other: Node = { kind: 'variable', name: OTHER, offset: at }
  // Dates are equal as moments, which a list of texts does not say.
  if (isTemporal(column)) {
    const right: Node = { kind: 'member', of: other, name: field, offset: at }
    return distinct.length > SOME
      ? undefined
      : anyOf(derived(own, { kind: 'binary', operator: '==', left: own, right, offset: at }), distinct, sides)
  }
  const among = derived(own, { kind: 'binary', operator: 'in', left: own, right: other, offset: at })
  const values = distinct.map((row) => row[field] ?? null)
  return bound(among, sides, 'list')?.({ variables: { [OTHER]: values }, rowsOf: 'author', now: sides.now })
}

const isTemporal = ({ kind }: Column): boolean => kind === 'date' || kind === 'datetime'

const derivedKept = new WeakMap<Node, Node>()

/** The tree that was made around a part of a formula, once. */
function derived(own: Node, made: Node): Node {
  const known = derivedKept.get(own) ?? made
  derivedKept.set(own, known)
  return known
}

/** The records for which a condition may hold beside one of these. */
function anyOf(ast: Node, others: readonly Row[], sides: Sides): Condition | undefined {
  const { target, now } = sides
  const members = new Map(
    [...target.fields.values()].map((one) => [one.name, kindOfColumn(one.compiled.type.column)]),
  )
  const bind = bound(ast, sides, { kind: 'object', members })
  return (
    bind && {
      op: 'or',
      of: others.map((row) => bind({ variables: { [OTHER]: { ...row } }, rowsOf: 'author', now })),
    }
  )
}

type Bound = ReturnType<typeof translate>

/** A tree is forgotten with its formula. */
const boundKept = new WeakMap<Node, Map<Resource, Bound | undefined>>()

/** A condition on records of a resource that reads another record, or values, as `OTHER`. */
function bound(ast: Node, { resource }: Sides, other: Known): Bound | undefined {
  const known = boundKept.get(ast) ?? new Map<Resource, Bound | undefined>()
  boundKept.set(ast, known)
  if (known.has(resource)) return known.get(resource)
  const made = boundOrUndefined(ast, resource, other)
  known.set(resource, made)
  return made
}

function boundOrUndefined(ast: Node, resource: Resource, other: Known): Bound | undefined {
  const vocabulary: Vocabulary = {
    ...userVocabulary(resource),
    relations: undefined,
    variables: new Map([[OTHER, other]]),
  }
  const expression = compileTree('', ast, vocabulary)
  const place = { vocabulary, columns: columnsOf(resource) }
  return untranslatable(expression, place) === undefined ? translate(expression, place) : undefined
}

const aloneKept = new WeakMap<Filter, readonly Expression[]>()

/** Whether the parts of a filter that speak of the other record alone hold for it. */
function meetsAlone(filter: Filter, row: Row, now: () => number): boolean {
  const known =
    aloneKept.get(filter) ?? takenApart(filter).alone.map((ast) => compileTree('', ast, filter.vocabulary))
  aloneKept.set(filter, known)
  return known.every((one) => one.holds({ record: row, now }))
}
