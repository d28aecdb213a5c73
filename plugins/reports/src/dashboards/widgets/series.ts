import { isTimeZone } from '@svc/automation/contract'
import type { Counted } from '../../aggregates/counted.ts'
import { compileFormula } from '../../aggregates/formula.ts'
import type { Interval } from '../../aggregates/interval.ts'
import { textsOf } from '../../aggregates/measure.ts'
import type { WrittenQuery } from '../definition.ts'
import { type Series, seriesOf } from '../series/series.ts'
import { COUNTS, formatOfMeasure, type Gathered, gatheredOf } from './gathered.ts'
import type { WidgetKind } from './kind.ts'
import { below, required, shared, type WidgetPlace } from './place.ts'

/** How many intervals a series has unless said. */
const LAST: Readonly<Record<Interval, number>> = {
  hour: 24,
  day: 30,
  week: 12,
  month: 12,
  quarter: 8,
  year: 5,
}

/** What records come to in one interval after the other. */
export const timeSeries: WidgetKind = {
  takes: [...COUNTS, 'interval', 'dateField', 'timezone', 'last'],
  has: [],
  compile(name, written, query, place) {
    const gathered = gatheredOf(query, below(place))
    const series = gathered && compileSeries(query, gathered, below(place))
    if (series === undefined) return undefined
    const { measure, where, date } = series
    return {
      ...shared(name, written, formatOfMeasure(measure), place),
      type: 'timeSeries',
      sources: [measure.counted.resource],
      texts: [...textsOf(measure), ...[...where, date].map(({ source }) => source)],
      asks: [],
      closed: {},
      answer: (asking) => seriesOf(series, asking),
    }
  },
}

function compileSeries(query: WrittenQuery, gathered: Gathered, place: WidgetPlace): Series | undefined {
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
    ...gathered,
    date: { ...date, column },
    interval: interval!,
    timezone,
    last: query.last ?? LAST[interval!],
  }
}
