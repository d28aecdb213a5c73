import { isTimeZone } from '@svc/automation/contract'
import type { Counted } from '../../aggregates/counted.ts'
import { compileFormula } from '../../aggregates/formula.ts'
import type { Interval } from '../../aggregates/interval.ts'
import type { SeriesWidget } from '../dashboard.ts'
import type { WrittenQuery, WrittenWidget } from '../definition.ts'
import { formatOfMeasure, type Gathered } from './gathered.ts'
import { above, required, shared, type WidgetPlace } from './place.ts'

/** How many intervals a series has unless said. */
const LAST: Readonly<Record<Interval, number>> = {
  hour: 24,
  day: 30,
  week: 12,
  month: 12,
  quarter: 8,
  year: 5,
}

/** Compiles a series; undefined where something is missing that was reported. */
export function seriesOf(
  name: string,
  written: WrittenWidget,
  query: WrittenQuery,
  gathered: Gathered,
  place: WidgetPlace,
): SeriesWidget | undefined {
  const { site, path } = place
  if (!required(query, 'interval', place)) return undefined
  const { counted } = gathered.measure
  const field = query.dateField ?? (counted.resource.fields.has('createdAt') ? 'createdAt' : undefined)
  if (field === undefined) {
    site.problem([...path, 'dateField'], `is missing: '${counted.resource.name}' has no createdAt`)
    return undefined
  }
  const of: Counted = counted.resource.fields.has(field) ? { ...counted, view: undefined } : counted
  const date = compileFormula(field, of, site, [...path, 'dateField'])
  if (date === undefined) return undefined
  const { column } = date
  if (column === undefined || (date.kind !== 'date' && date.kind !== 'datetime')) {
    site.problem([...path, 'dateField'], `'${field}' is no stored date`)
    return undefined
  }
  const { timezone, interval } = query
  if (timezone !== undefined && !isTimeZone(timezone))
    site.problem([...path, 'timezone'], `there is no time zone '${timezone.slice(0, 60)}'`)
  return {
    ...shared(name, written, formatOfMeasure(gathered.measure), above(place)),
    ...gathered,
    type: 'timeSeries',
    date: { ...date, column },
    interval: interval!,
    timezone,
    last: query.last ?? LAST[interval!],
  }
}
