import { didYouMean } from '@svc/domain/contract'
import type { Order, Row } from '@svc/store/contract'
import { bindingOf, conditionsOf, inScope } from '../../aggregates/ask.ts'
import { type Counted, ownFilters } from '../../aggregates/counted.ts'
import type { Filter } from '../../door/readable.ts'
import { orderOf } from '../../views/compile.ts'
import { columnFacts, fieldsOf, itemOf, shownColumns, valuesOf } from '../../views/shown.ts'
import type { View } from '../../views/view.ts'
import type { Answer, WidgetAsking } from '../asking.ts'
import { whereOf } from './gathered.ts'
import type { WidgetKind } from './kind.ts'
import { below, limitOf, required, shared } from './place.ts'

const DEFAULT_ROWS = 10

/** The first rows of a view. */
export const table: WidgetKind = {
  takes: ['view', 'filter', 'sort', 'limit'],
  has: [],
  compile(name, written, query, place) {
    const { site, views, path } = below(place)
    if (!required(query, 'view', below(place))) return undefined
    const view = views.get(query.view!)
    if (view === undefined) {
      site.problem(
        [...path, 'view'],
        `there is no view '${query.view!.slice(0, 60)}'`,
        didYouMean(query.view!, views.keys()),
      )
      return undefined
    }
    const counted: Counted = { name: view.name, resource: view.source, view, scope: view.scope }
    const where = whereOf(query.filter, counted, below(place))
    const order = orderOf(query.sort, view.source, site, [...path, 'sort'])
    if (where === undefined) return undefined
    const rows: Rows = {
      view,
      counted,
      where,
      order: order.length > 0 ? order : view.order,
      limit: limitOf(query, DEFAULT_ROWS, below(place)),
    }
    return {
      ...shared(name, written, 'text', place),
      type: 'table',
      sources: [view.source],
      texts: [...[...where, ...ownFilters(counted)].map(({ source }) => source), ...textsIn(view)],
      asks: [],
      closed: {},
      answer: (asking) => rowsOf(rows, asking),
    }
  },
}

interface Rows {
  readonly view: View
  readonly counted: Counted
  readonly where: readonly Filter[]
  readonly order: readonly Order[]
  readonly limit: number
}

const textsIn = ({ columns }: View): readonly string[] =>
  columns.flatMap(({ of, highlights }) => [
    ...(of.kind === 'computed' ? [of.expression.source] : []),
    ...highlights.map(({ condition }) => condition.source),
  ])

async function rowsOf(
  { view, counted, where, order, limit }: Rows,
  asking: WidgetAsking,
): Promise<Answer | undefined> {
  const { data, caller, asker, locale } = asking
  const binding = bindingOf(counted, where, [], asking)
  if (binding === undefined) return undefined
  const columns = shownColumns(view, data, caller)
  const { rows } = await data.read(
    counted.resource,
    {
      // Past an offset of none nobody asks how many there are.
      query: { ...inScope(counted), offset: '0', limit: String(limit) },
      where: conditionsOf(counted, where, binding),
      order,
      fields: fieldsOf(columns),
      values: valuesOf(columns, { highlights: true }),
    },
    asker,
  )
  const isKeyShown = data.access(view.source, caller).readable(view.source.key.name) !== undefined
  const items = rows.map((row): Row => itemOf(row, view, columns, isKeyShown))
  return { columns: columnFacts(columns, data.model.localizer, locale), items, count: items.length }
}
