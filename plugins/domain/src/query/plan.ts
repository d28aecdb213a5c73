import { errors, type Ignored, offsetOf, type Page } from '@svc/kernel'
import { type CursorPage, listPage } from './page.ts'
import type { Column, Condition, CountPlan, Order, SelectPlan } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { Field } from '../model/field.ts'
import { assertWalkable, partsAfter, readCursor } from './cursor.ts'
import { selection } from './fields.ts'
import { filters, isFilter } from './filter.ts'
import { type Included, includes, isNothing, startsOf } from './include.ts'
import { allOf } from './live.ts'
import { scopeRows } from './scope.ts'
import { searched } from './search.ts'
import { order } from './sort.ts'

/** A list as it will be read: nothing in it came from outside but values. */
export interface ListPlan {
  readonly select: SelectPlan
  readonly count: CountPlan
  readonly page: Page | CursorPage
  /** With a cursor: conditions of which each picks the rows that follow those of the one before. */
  readonly parts: readonly Condition[]
  readonly fields: readonly Field[]
  readonly includes: Included
  /** By how much values may be simplified; 0: not at all. */
  readonly tolerance: number
}

/** What a list is confined to besides its query, and what it is where the query does not say. */
export interface Within {
  readonly where: readonly Condition[]
  readonly order?: readonly Order[]
  /** The fields that it shows; the usual ones unless said. */
  readonly fields?: readonly Field[]
  /** What is done with the records besides listing them. */
  readonly also?: readonly ('export' | 'automate')[]
  /** Names of query parameters that somebody else reads. */
  readonly parameters?: readonly string[]
}

type Query = Readonly<Record<string, string>>

const EVERYWHERE: Within = { where: [] }

/** The parameters besides filters that say which rows. */
export const CHOOSING: ReadonlySet<string> = new Set(['search', 'scope'])

/** Every parameter of a list besides filters. */
const KNOWN = new Set([
  ...CHOOSING,
  'page',
  'limit',
  'offset',
  'cursor',
  'sort',
  'fields',
  'include',
  'simplify',
])

/** Reads a query string into a plan. Pure: no store is touched. Throws INVALID_QUERY. */
export function planList(query: Query, access: Access, ignored: Ignored, within = EVERYWHERE): ListPlan {
  const { parameters } = within
  reportUnknown(query, ignored, parameters === undefined ? KNOWN : new Set([...KNOWN, ...parameters]))
  const tolerance = toleranceOf(query['simplify'], access)
  const { table } = access.resource
  const where = planRows(query, access, ignored, within)
  const asked = listPage(query)
  const included = includes(query['include'], access, ignored, query['fields'])
  const fields = selection(query['fields'], access, ignored, within.fields, included)
  const shown = withStarts(access.columns(fields), included, access)
  // Who may read nothing of a record is still told how many there are.
  const columns = shown.length === 0 ? [access.resource.key.column!] : shown
  const sorted = order(query['sort'], access, ignored, within.order)
  const plan = { count: { table, where }, page: asked, fields, includes: included, tolerance }
  const select = { table, columns, where, order: sorted }
  if (asked.by === 'cursor') {
    assertWalkable(access)
    return { ...plan, select: walking(select), parts: partsOf(asked.cursor, sorted, access) }
  }
  return { ...plan, select: { ...select, limit: asked.limit, offset: offsetOf(asked) }, parts: [] }
}

/** Reads the columns that a list is sorted by, so that each of its rows says where it stands. */
export function walking(select: SelectPlan): SelectPlan {
  const own = select.order.filter(({ by }) => by === undefined)
  const worked = select.order.flatMap(({ column, by }) => (by ? { column, scalar: by } : []))
  return {
    ...select,
    columns: [...new Set([...select.columns, ...own.map(({ column }) => column)])],
    ...(worked.length > 0 && { worked }),
  }
}

const TOLERANCE = /^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i

/** To pass over it would be to answer something else than was asked for. */
function toleranceOf(simplify: string | undefined, { resource }: Access): number {
  if (simplify === undefined) return 0
  if (![...resource.fields.values()].some(({ compiled }) => compiled.simplify))
    throw errors.INVALID_QUERY({
      message: `'simplify' needs a field whose values can be simplified on this store, which '${resource.name}' has not`,
    })
  const tolerance = TOLERANCE.test(simplify) ? Number(simplify) : NaN
  if (Number.isFinite(tolerance)) return tolerance
  throw errors.INVALID_QUERY({ message: "'simplify' takes a number from 0 on" })
}

const EVERY_ROW: readonly Condition[] = [{ op: 'always' }]

const partsOf = (cursor: string, sorted: readonly Order[], access: Access): readonly Condition[] =>
  cursor === '' ? EVERY_ROW : partsAfter(readCursor(cursor, sorted, access), sorted)

/** The part of a query that says which rows: count and list share it. */
export const planRows = (query: Query, access: Access, ignored: Ignored, within = EVERYWHERE): Condition =>
  allOf([
    access.rows('list'),
    ...(within.also ?? []).flatMap((operation) => access.left(operation)),
    ...scopeRows(query['scope'], access, ignored),
    ...within.where,
    ...filters(query, access, ignored),
    ...searched(query['search'], access, ignored),
  ])

/** `columns`, and those that what is included starts from. */
export function withStarts(
  columns: readonly Column[],
  included: Included,
  access: Access,
): readonly Column[] {
  return isNothing(included) ? columns : [...new Set([...columns, ...startsOf(included, access)])]
}

/** Tells of every parameter that is no filter and not among `known`. */
export function reportUnknown(query: Query, ignored: Ignored, known: ReadonlySet<string> = KNOWN): void {
  for (const name in query) if (!known.has(name) && !isFilter(name)) ignored('query', name)
}
