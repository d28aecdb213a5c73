import { didYouMean } from '@svc/domain/contract'
import type { Counted } from '../../aggregates/counted.ts'
import { orderOf } from '../../views/compile.ts'
import type { TableWidget } from '../dashboard.ts'
import type { WrittenQuery, WrittenWidget } from '../definition.ts'
import { whereOf } from './gathered.ts'
import { above, limitOf, required, shared, type WidgetPlace } from './place.ts'

const DEFAULT_ROWS = 10

/** Compiles a table; undefined where something is missing that was reported. */
export function tableOf(
  name: string,
  written: WrittenWidget,
  query: WrittenQuery,
  place: WidgetPlace,
): TableWidget | undefined {
  const { site, views, path } = place
  if (!required(query, 'view', place)) return undefined
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
  const where = whereOf(query.filter, counted, place)
  const order = orderOf(query.sort, view.source, site, [...path, 'sort'])
  return (
    where && {
      ...shared(name, written, 'text', above(place)),
      type: 'table',
      view,
      counted,
      where,
      order: order.length > 0 ? order : view.order,
      limit: limitOf(query, DEFAULT_ROWS, place),
    }
  )
}
