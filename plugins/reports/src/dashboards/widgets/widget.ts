import { compileFigure } from '../../aggregates/figure.ts'
import type { Widget } from '../dashboard.ts'
import type { WidgetType, WrittenWidget } from '../definition.ts'
import { breakdownOf } from './breakdown.ts'
import { counterOf } from './counter.ts'
import { gatheredOf } from './gathered.ts'
import type { QueryKey, WidgetPlace } from './place.ts'
import { seriesOf } from './series.ts'
import { tableOf } from './table.ts'
import { timelineOf } from './timeline.ts'

const COUNTS: readonly QueryKey[] = ['source', 'filter', 'scope', 'aggregate', 'field']

/** What the query of each type takes. */
const TAKES: Readonly<Record<WidgetType, readonly QueryKey[]>> = {
  counter: COUNTS,
  scorecard: COUNTS,
  gauge: COUNTS,
  breakdown: [...COUNTS, 'groupBy', 'sort', 'limit'],
  timeSeries: [...COUNTS, 'interval', 'dateField', 'timezone', 'last'],
  table: ['view', 'filter', 'sort', 'limit'],
  timeline: ['source', 'events', 'limit'],
}

/** What widgets of some types have besides. */
const OWN: Readonly<Record<'thresholds' | 'target' | 'colorMap' | 'min' | 'max', readonly WidgetType[]>> = {
  thresholds: ['counter', 'scorecard', 'gauge'],
  target: ['counter', 'scorecard', 'gauge'],
  colorMap: ['counter', 'scorecard', 'gauge', 'breakdown'],
  min: ['gauge'],
  max: ['gauge'],
}

/** Compiles a widget; undefined where something is missing that was reported. */
export function compileWidget(name: string, written: WrittenWidget, place: WidgetPlace): Widget | undefined {
  const { site, path } = place
  const { type, query } = written
  for (const [key, types] of Object.entries(OWN))
    if (written[key as keyof typeof OWN] !== undefined && !types.includes(type))
      site.problem([...path, key], `means nothing for a ${type}`)
  if (typeof query === 'string') {
    if (type === 'counter' || type === 'scorecard' || type === 'gauge') {
      const figure = compileFigure(query, { ...place, path: [...path, 'query'], parameters: new Map() })
      return figure && counterOf(name, written, { figure }, place)
    }
    site.problem([...path, 'query'], `of a ${type} is a map`, `Write ${TAKES[type].join(', ')}`)
    return undefined
  }
  for (const key of Object.keys(query))
    if (query[key as QueryKey] !== undefined && !TAKES[type].includes(key as QueryKey))
      site.problem(
        [...path, 'query', key],
        `means nothing for a ${type}`,
        `It takes ${TAKES[type].join(', ')}`,
      )
  const at: WidgetPlace = { ...place, path: [...path, 'query'] }
  switch (type) {
    case 'table':
      return tableOf(name, written, query, at)
    case 'timeline':
      return timelineOf(name, written, query, at)
    default: {
      const gathered = gatheredOf(query, at)
      if (gathered === undefined) return undefined
      if (type === 'breakdown') return breakdownOf(name, written, query, gathered, at)
      if (type === 'timeSeries') return seriesOf(name, written, query, gathered, at)
      return counterOf(name, written, gathered, place)
    }
  }
}
