import { holds, type Related, type RelatedOrder, type Scalar, type ScalarType } from '@svc/store/contract'
import type { Node } from '../syntax/ast.ts'
import type { Join, Relation } from '../relation.ts'
import { endOf, type Gathering, type GatheringName, type Route } from '../route.ts'
import { knownType } from './choice.ts'
import {
  as,
  type BindingContext,
  columnOf,
  computed,
  condition,
  constant,
  NULL,
  type Part,
  type Term,
  type Translation,
  Untranslatable,
} from './term.ts'

/** What stands in the row at the end of a way, as a scalar of the row that the way starts from. */
export function alongRoute({ root, steps }: Route, end: Translation, node: Node): Translation {
  if (root === 'previous') throw new Untranslatable(node, 'the record as it was is in no table')
  return { ...end, bind: (context) => alongSteps(steps, end.bind(context), context) }
}

function alongSteps(steps: readonly Relation[], end: Term, context: BindingContext): Term {
  if (steps.length === 0) return end
  if (end.scalar === undefined) return NULL
  const scalar = steps.reduceRight<Scalar>((of, relation) => {
    const join = joinOf(relation, context)
    return lookup(join.between ?? join.related, inFirst(join, of))
  }, end.scalar)
  return computed(scalar, end.type)
}

/** The way that a relation goes, to those records alone that are there for whoever it is bound to. */
function joinOf(relation: Relation, { rowsOf }: BindingContext): Join {
  const { join } = relation
  if (rowsOf === 'author') return join
  const rows = rowsOf(relation)
  if (rows.op === 'always') return join
  const { related } = join
  return { ...join, related: { ...related, where: { op: 'and', of: [related.where, rows] } } }
}

const lookup = (related: Related, of: Scalar): Scalar => ({ op: 'lookup', related, of, order: [] })

/** A scalar of the rows that a join leads to, as one of those that it comes to first. */
const inFirst = ({ between, related }: Join, of: Scalar): Scalar =>
  between === undefined ? of : lookup(related, of)

/** Whether there is a record at the end of a way: its key stands there, or null. */
export function presence(route: Route, node: Node): Translation {
  const key = computed(keyOf(endOf(route).join), 'text')
  return alongRoute(route, { type: 'json', bind: () => key }, node)
}

function keyOf({ related: { table } }: Join): Scalar {
  const [key] = table.primaryKey
  if (key === undefined) throw new Error(`the table '${table.name}' has no key`)
  return columnOf(key)
}

/** What a list function makes of the rows at the end of a way; `each` is translated as a part of such a row. */
export function gathered({ name, route }: Gathering, each: Part | undefined, node: Node): Translation {
  const before: Route = { root: route.root, steps: route.steps.slice(0, -1) }
  const made = overRows(name, endOf(route), each)
  const along = alongRoute(before, made, node)
  const empty = EMPTY[name]
  if (before.steps.length === 0 || empty === undefined) return along
  const isThere = presence(before, node)
  return { ...along, bind: (context) => orEmpty(along.bind(context), isThere.bind(context), empty) }
}

/** The list of a record that is not there is that of no records. */
function orEmpty(found: Term, key: Term, empty: number | boolean): Term {
  if (found.scalar === undefined || key.scalar === undefined) return constant(empty)
  const { scalar, type } = found
  const none: Scalar = { op: 'value', type, value: empty }
  return computed(
    { op: 'if', test: { op: 'null', of: key.scalar }, consequent: none, alternate: scalar },
    type,
  )
}

const EMPTY: Partial<Record<GatheringName, number | boolean>> = {
  count: 0,
  size: 0,
  sum: 0,
  any: false,
  all: true,
}

/** The rows of a list, those of the table between where there is one. */
interface Rows {
  readonly related: Related
  /** Not null in each row. */
  readonly key: Scalar
  /** What is said of each, in one type; undefined where nothing is, or null of all. */
  readonly each: Scalar | undefined
  readonly type: ScalarType
  /** Whether nothing is said of each. */
  readonly isBare: boolean
  readonly order: readonly RelatedOrder[]
}

function overRows(name: GatheringName, relation: Relation, each: Part | undefined): Translation {
  const said = each && knownType(each)
  const { gives, over } = GATHERED[name]
  return {
    type: gives ?? said ?? 'text',
    form: gives === undefined ? each?.form : undefined,
    whole: gives === undefined ? each?.whole === true : name === 'count' || name === 'size',
    bind(context) {
      const scalar = each && said && as(each.bind(context), said)
      const join = joinOf(relation, context)
      return over({
        related: join.between ?? join.related,
        key: inFirst(join, keyOf(join)),
        each: scalar && inFirst(join, scalar),
        type: said ?? 'text',
        isBare: each === undefined,
        order: join.order.map(({ column, descending }) => ({
          by: inFirst(join, columnOf(column)),
          descending,
        })),
      })
    },
  }
}

interface Gathered {
  /** The type of the result; undefined for that of what is said of each. */
  readonly gives: ScalarType | undefined
  over(rows: Rows): Term
}

const counted: Gathered = {
  gives: 'number',
  over: ({ related, key, each, isBare }) =>
    isBare ? fold('count', related, key) : each ? fold('count', narrowed(related, each), key) : constant(0),
}

/** How each list function is said over rows. */
const GATHERED: Readonly<Record<GatheringName, Gathered>> = {
  count: counted,
  size: counted,
  sum: { gives: 'number', over: ({ related, each }) => (each ? fold('sum', related, each) : constant(0)) },
  avg: { gives: 'number', over: ({ related, each }) => (each ? average(related, each) : NULL) },
  min: {
    gives: undefined,
    over: ({ related, each, type }) => (each ? fold('min', related, each, type) : NULL),
  },
  max: {
    gives: undefined,
    over: ({ related, each, type }) => (each ? fold('max', related, each, type) : NULL),
  },
  first: { gives: undefined, over: (rows) => foremost(rows, (descending) => descending) },
  last: { gives: undefined, over: (rows) => foremost(rows, (descending) => !descending) },
  any: { gives: 'boolean', over: ({ related, each }) => (each ? some(related, each) : constant(false)) },
  all: {
    gives: 'boolean',
    over: ({ related, each }) => (each ? none(related, { op: 'not', of: each }) : constant(true)),
  },
}

type Fold = Extract<Scalar, { op: 'fold' }>

const fold = (by: Fold['by'], related: Related, of: Scalar, type: ScalarType = 'number'): Term =>
  computed({ op: 'fold', by, related, of }, type)

const average = (related: Related, of: Scalar): Term =>
  computed(
    {
      op: 'call',
      name: 'divide',
      of: [
        { op: 'fold', by: 'sum', related, of },
        { op: 'fold', by: 'count', related, of },
      ],
    },
    'number',
  )

/** The related rows for which a condition is exactly true. */
const narrowed = (related: Related, scalar: Scalar): Related => ({
  ...related,
  where: { op: 'and', of: [related.where, holds(scalar)] },
})

const some = (related: Related, scalar: Scalar): Term =>
  condition({ op: 'some', related: narrowed(related, scalar) })

const none = (related: Related, scalar: Scalar): Term =>
  condition({ op: 'not', of: { op: 'some', related: narrowed(related, scalar) } })

function foremost({ related, each, type, order }: Rows, turn: (descending: boolean) => boolean): Term {
  if (each === undefined) return NULL
  const isGiven: Scalar = { op: 'not', of: { op: 'null', of: each } }
  const turned = order.map(({ by, descending }) => ({ by, descending: turn(descending) }))
  return computed({ op: 'lookup', related: narrowed(related, isGiven), of: each, order: turned }, type)
}
