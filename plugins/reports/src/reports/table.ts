import { isTimeZone } from '@svc/automation/contract'
import { didYouMean, type Path } from '@svc/domain/contract'
import { formulaOfColumn } from '../aggregates/formula.ts'
import { misfitOf } from '../aggregates/measure.ts'
import { refuseSecrets, warnOfRoles } from '../door/readable.ts'
import type { View, ViewColumn } from '../views/view.ts'
import type { ReportPlace } from './place.ts'
import type { WrittenTable } from './definition.ts'
import type { Grouping, TableSection, Total } from './report.ts'
import { word } from '../words.ts'

const DEFAULT_LIMIT = 1000

/** Compiles a table; undefined where its view is not there. What is wrong is reported. */
export function compileTable(
  written: WrittenTable,
  place: ReportPlace,
  path: Path,
): TableSection | undefined {
  const { site, views, parameters, door } = place
  const view = views.get(written.view)
  if (view === undefined) {
    site.problem(
      [...path, 'view'],
      `there is no view '${written.view.slice(0, 60)}'`,
      didYouMean(written.view, views.keys()),
    )
    return undefined
  }
  const filter =
    written.filter === undefined
      ? undefined
      : site.rows(written.filter, [...path, 'filter'], { resource: view.source, moment: 'read', parameters })
  if (filter) {
    refuseSecrets(filter, view.source, [...path, 'filter'], site)
    warnOfRoles(door, filter, view.source, [...path, 'filter'], site)
  }
  return {
    view,
    counted: { name: view.name, resource: view.source, view, scope: view.scope },
    filter,
    grouping:
      written.groupBy === undefined
        ? undefined
        : compileGrouping(written.groupBy, view, place, [...path, 'groupBy']),
    totals: compileTotals(written.totals, view, place, [...path, 'totals']),
    limit: written.limit ?? DEFAULT_LIMIT,
    emptyMessage: word('reports', [...path, 'emptyMessage'], written.emptyMessage, site),
  }
}

function columnAt(name: string, view: View, { site }: ReportPlace, path: Path): ViewColumn | undefined {
  const column = view.columns.find((one) => one.name === name)
  if (column === undefined)
    site.problem(
      path,
      `the view '${view.name}' has no column '${name.slice(0, 60)}'`,
      didYouMean(
        name,
        view.columns.map((one) => one.name),
      ),
    )
  return column
}

function compileGrouping(
  written: NonNullable<WrittenTable['groupBy']>,
  view: View,
  place: ReportPlace,
  path: Path,
): Grouping | undefined {
  const { site } = place
  const {
    column: name,
    interval,
    timezone,
  } = typeof written === 'string' ? { column: written, interval: undefined, timezone: undefined } : written
  const column = columnAt(name, view, place, typeof written === 'string' ? path : [...path, 'column'])
  const formula = column && formulaOfColumn(column, view.source, site, path)
  if (column === undefined || formula === undefined) return undefined
  if (interval !== undefined && !['date', 'datetime', 'unknown'].includes(formula.kind))
    site.problem([...path, 'interval'], `'${name}' is no date`)
  if (timezone !== undefined && interval === undefined)
    site.problem([...path, 'timezone'], 'means nothing without interval')
  if (timezone !== undefined && !isTimeZone(timezone))
    site.problem([...path, 'timezone'], `there is no time zone '${timezone.slice(0, 60)}'`)
  return { column, formula, interval, timezone }
}

function compileTotals(
  written: WrittenTable['totals'],
  view: View,
  place: ReportPlace,
  path: Path,
): readonly Total[] {
  const entries = Array.isArray(written)
    ? written.map((name, at) => [name, 'sum', at] as const)
    : Object.entries(written ?? {}).map(([name, fn]) => [name, fn, name] as const)
  return entries.flatMap(([name, fn, at]) => {
    const here = [...path, at]
    const column = columnAt(name, view, place, here)
    const formula = column && formulaOfColumn(column, view.source, place.site, here)
    if (column === undefined || formula === undefined) return []
    const misfit = misfitOf(fn, formula)
    if (misfit) place.site.problem(here, misfit)
    return { column, fn, formula }
  })
}
