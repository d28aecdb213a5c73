import { compileFormula } from '../../aggregates/formula.ts'
import { compileFormat, formatOfField, formatOfKind } from '../../formats/format.ts'
import type { BreakdownWidget } from '../dashboard.ts'
import type { WrittenQuery, WrittenWidget } from '../definition.ts'
import { formatOfMeasure, type Gathered } from './gathered.ts'
import { above, required, shared, type WidgetPlace } from './place.ts'

const DEFAULT_GROUPS = 100

/** Compiles a breakdown; undefined where something is missing that was reported. */
export function breakdownOf(
  name: string,
  written: WrittenWidget,
  query: WrittenQuery,
  gathered: Gathered,
  place: WidgetPlace,
): BreakdownWidget | undefined {
  const { site, path } = place
  if (!required(query, 'groupBy', place)) return undefined
  const by = compileFormula(query.groupBy!, gathered.measure.counted, site, [...path, 'groupBy'])
  if (by === undefined) return undefined
  const [, sort, direction = 'asc'] =
    /^(value|key)(?:\s+(asc|desc))?$/.exec(
      typeof query.sort === 'string' ? query.sort.trim() : query.sort === undefined ? 'value desc' : '',
    ) ?? []
  if (sort === undefined)
    site.problem([...path, 'sort'], 'is no order of groups', 'Write value or key, and asc or desc')
  return {
    ...shared(name, written, formatOfMeasure(gathered.measure), above(place)),
    ...gathered,
    type: 'breakdown',
    by,
    sort: { by: sort === 'key' ? 'group' : 'value', descending: direction === 'desc' },
    limit: query.limit ?? DEFAULT_GROUPS,
    keyFormat: compileFormat(
      undefined,
      by.field ? formatOfField(by.field) : formatOfKind(by.kind),
      path,
      site,
    ),
  }
}
