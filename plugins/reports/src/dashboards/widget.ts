import { isTimeZone } from '@svc/automation/contract'
import { didYouMean, type Path, type Site, writtenOrder } from '@svc/domain/contract'
import { HISTORY } from '@svc/history/contract'
import { type Counted, countedAt } from '../aggregates/counted.ts'
import { compileFigure, type Figure } from '../aggregates/figure.ts'
import { compileFormula } from '../aggregates/formula.ts'
import type { Interval } from '../aggregates/interval.ts'
import { type CompiledMeasure, kindOfMeasure, misfitOf } from '../aggregates/measure.ts'
import { type Filter, refuseSecrets } from '../door/readable.ts'
import { compileFormat, formatOfField, formatOfKind } from '../formats/format.ts'
import { formatOfFigure } from '../reports/metrics.ts'
import { scopeOf, sourceOf } from '../views/compile.ts'
import type { Views } from '../views/view.ts'
import type { Asked, CounterWidget, Widget } from './dashboard.ts'
import type { WidgetType, WrittenQuery, WrittenWidget } from './definition.ts'
import { compileThresholds } from './thresholds.ts'
import { word } from '../words.ts'

export interface WidgetPlace {
  readonly site: Site
  readonly views: Views
  readonly path: Path
}

type Key = keyof WrittenQuery

const COUNTS: readonly Key[] = ['source', 'filter', 'scope', 'aggregate', 'field']

/** What the query of each type takes. */
const TAKES: Readonly<Record<WidgetType, readonly Key[]>> = {
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
    if (query[key as Key] !== undefined && !TAKES[type].includes(key as Key))
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

interface Gathered {
  readonly measure: CompiledMeasure
  readonly where: readonly Filter[]
}

function required(query: WrittenQuery, key: Key, { site, path }: WidgetPlace): boolean {
  if (query[key] !== undefined) return true
  site.problem([...path, key], 'is missing')
  return false
}

/** What is counted of which records. */
function gatheredOf(query: WrittenQuery, place: WidgetPlace): Gathered | undefined {
  const { site, views, path } = place
  if (!required(query, 'source', place)) return undefined
  const found = countedAt(query.source!, site, views, [...path, 'source'])
  if (found === undefined) return undefined
  const counted: Counted =
    query.scope === undefined
      ? found
      : { ...found, scope: scopeOf(query.scope, found.resource, site, [...path, 'scope']) }
  const where = whereOf(query.filter, counted, place)
  const fn = query.aggregate ?? 'count'
  const formula =
    query.field === undefined ? undefined : compileFormula(query.field, counted, site, [...path, 'field'])
  if (query.field === undefined && fn !== 'count') {
    site.problem([...path, 'field'], `is missing: '${fn}' needs one`)
    return undefined
  }
  const misfit = formula && misfitOf(fn, formula)
  if (misfit) site.problem([...path, 'aggregate'], misfit)
  if (where === undefined || (query.field !== undefined && formula === undefined)) return undefined
  return { measure: { counted, fn, formula, condition: undefined }, where }
}

function whereOf(
  filter: string | undefined,
  { resource }: Counted,
  { site, path }: WidgetPlace,
): readonly Filter[] | undefined {
  if (filter === undefined) return []
  const compiled = site.rows(filter, [...path, 'filter'], { resource, moment: 'read' })
  if (compiled) refuseSecrets(compiled, resource, [...path, 'filter'], site)
  return compiled && [compiled]
}

const shared = (name: string, written: WrittenWidget, usual: string, { site, path }: WidgetPlace) => ({
  name,
  label: word('dashboards', [...path, 'label'], written.label, site) ?? name,
  format: compileFormat(written.format, usual, [...path, 'format'], site),
  colors: new Map(Object.entries(written.colorMap ?? {})),
})

/** The place of the widget that a query is of. */
const above = (place: WidgetPlace): WidgetPlace => ({ ...place, path: place.path.slice(0, -1) })

function formatOfMeasure(measure: CompiledMeasure): string {
  const { fn, formula } = measure
  if (fn === 'count' || fn === 'countDistinct') return 'integer'
  return formula?.field ? formatOfField(formula.field) : formatOfKind(kindOfMeasure(measure))
}

function counterOf(name: string, written: WrittenWidget, asked: Asked, place: WidgetPlace): CounterWidget {
  const { site, path } = place
  const thresholds = compileThresholds(written.thresholds, [...path, 'thresholds'], site)
  const target = targetOf(written.target, place)
  const greatest = thresholds.length === 0 ? undefined : Math.max(...thresholds.map(({ number }) => number))
  const type = written.type as CounterWidget['type']
  if (type === 'gauge' && written.max === undefined && written.target === undefined && greatest === undefined)
    site.problem(
      [...path, 'max'],
      'is missing: nothing says where the gauge ends',
      'Write max, target or thresholds',
    )
  const usual = asked.figure ? formatOfFigure(asked.figure) : formatOfMeasure(asked.measure)
  return {
    ...shared(name, written, usual, place),
    type,
    asked,
    thresholds,
    target,
    min: written.min ?? 0,
    max: written.max ?? (written.target === undefined ? greatest : undefined),
  }
}

function targetOf(
  written: WrittenWidget['target'],
  { site, views, path }: WidgetPlace,
): number | Figure | undefined {
  if (typeof written !== 'string') return written
  return compileFigure(written, { site, views, path: [...path, 'target'], parameters: new Map() })
}

const DEFAULT_GROUPS = 100

function breakdownOf(
  name: string,
  written: WrittenWidget,
  query: WrittenQuery,
  gathered: Gathered,
  place: WidgetPlace,
): Widget | undefined {
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

/** How many intervals a series has unless said. */
const LAST: Readonly<Record<Interval, number>> = {
  hour: 24,
  day: 30,
  week: 12,
  month: 12,
  quarter: 8,
  year: 5,
}

function seriesOf(
  name: string,
  written: WrittenWidget,
  query: WrittenQuery,
  gathered: Gathered,
  place: WidgetPlace,
): Widget | undefined {
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

const DEFAULT_ROWS = 10
const MOST_ENTRIES = 100

function tableOf(
  name: string,
  written: WrittenWidget,
  query: WrittenQuery,
  place: WidgetPlace,
): Widget | undefined {
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
  const order = writtenOrder(query.sort, view.source, site, [...path, 'sort'])
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

function limitOf({ limit }: WrittenQuery, usual: number, { site, path }: WidgetPlace): number {
  if (limit !== undefined && limit > MOST_ENTRIES)
    site.problem([...path, 'limit'], `must be at most ${MOST_ENTRIES}`)
  return Math.min(limit ?? usual, MOST_ENTRIES)
}

function timelineOf(
  name: string,
  written: WrittenWidget,
  query: WrittenQuery,
  place: WidgetPlace,
): Widget | undefined {
  const { site, path } = place
  if (!required(query, 'source', place)) return undefined
  const resource = sourceOf(query.source!, site, [...path, 'source'])
  if (resource === undefined) return undefined
  const history = site.made(HISTORY, resource)
  if (history === undefined) {
    site.problem([...path, 'source'], `'${resource.name}' has no history`, 'Write history for the resource')
    return undefined
  }
  for (const [at, event] of (query.events ?? []).entries())
    if (!history.events.includes(event))
      site.problem(
        [...path, 'events', at],
        `'${resource.name}' has no event '${event.slice(0, 60)}'`,
        didYouMean(event, history.events),
      )
  return {
    ...shared(name, written, 'text', above(place)),
    type: 'timeline',
    resource,
    events: query.events,
    limit: limitOf(query, 20, place),
  }
}
