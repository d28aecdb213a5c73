import { compileDuration } from '@svc/automation/contract'
import { type Path, type Site, compileDoor } from '@svc/domain/contract'
import type { Views } from '../views/view.ts'
import type { Dashboard } from './dashboard.ts'
import type { DashboardDefinition, WrittenWidget } from './definition.ts'
import { compileWidget } from './widgets/widget.ts'
import { word } from '../words.ts'

const COLUMNS = 12

/** Compiles a dashboard; what is wrong is reported. */
export function compileDashboard(
  name: string,
  written: DashboardDefinition,
  site: Site,
  views: Views,
): Dashboard {
  const path: Path = [name]
  const columns = written.layout?.columns ?? COLUMNS
  const refresh =
    written.refresh === undefined
      ? undefined
      : compileDuration(written.refresh, [...path, 'refresh'], site, { least: '1s', most: '24h' })
  const widgets = Object.entries(written.widgets)
  const door = compileDoor(written.permissions, [...path, 'permissions'], site, `dashboard '${name}'`)
  checkPositions(widgets, columns, site, [...path, 'widgets'])
  return {
    name,
    label: word('dashboards', [...path, 'label'], written.label, site),
    description: word('dashboards', [...path, 'description'], written.description, site),
    door,
    refreshMs: refresh?.ms,
    widgets: widgets.flatMap(
      ([one, widget]) =>
        compileWidget(one, widget, { site, views, door, path: [...path, 'widgets', one] }) ?? [],
    ),
    layout: {
      columns,
      widgets: Object.fromEntries(widgets.map(([one, { type, position }]) => [one, { type, position }])),
    },
  }
}

function checkPositions(
  widgets: readonly (readonly [string, WrittenWidget])[],
  columns: number,
  site: Site,
  path: Path,
): void {
  const taken: { readonly name: string; readonly at: Required<Box> }[] = []
  for (const [name, { position }] of widgets) {
    if (position === undefined) continue
    const at = {
      row: position.row,
      column: position.column,
      width: position.width ?? 1,
      height: position.height ?? 1,
    }
    const here = [...path, name, 'position']
    if (at.column + at.width - 1 > columns)
      site.problem(here, `reaches beyond column ${columns}`, 'Move it, or write layout.columns')
    const other = taken.find((one) => meet(one.at, at))
    if (other) site.warning(here, `lies over '${other.name}'`)
    taken.push({ name, at })
  }
}

interface Box {
  readonly row: number
  readonly column: number
  readonly width: number
  readonly height: number
}

const meet = (one: Box, other: Box): boolean =>
  one.row < other.row + other.height &&
  other.row < one.row + one.height &&
  one.column < other.column + other.width &&
  other.column < one.column + one.width
