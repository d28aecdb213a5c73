import {
  didYouMean,
  type Path,
  type Resource,
  type Site,
  writtenOrder,
  compileDoor,
} from '@svc/domain/contract'
import type { Order } from '@svc/store/contract'
import { refuseSecret, refuseSecrets, warnOfRoles } from '../door/readable.ts'
import { compileColumns } from './columns.ts'
import type { ViewDefinition } from './definition.ts'
import type { View } from './view.ts'
import { word } from '../words.ts'

const DEFAULT_LIMIT = 50

/** Compiles a view; undefined where its source is not there. What is wrong is reported. */
export function compileView(name: string, written: ViewDefinition, site: Site): View | undefined {
  const path: Path = [name]
  const door = compileDoor(written.permissions, [...path, 'permissions'], site, `view '${name}'`)
  const source = sourceOf(written.source, site, [...path, 'source'])
  if (source === undefined) return undefined
  const filter =
    written.filter === undefined
      ? undefined
      : site.rows(written.filter, [...path, 'filter'], { resource: source, moment: 'read' })
  if (filter) {
    refuseSecrets(filter, source, [...path, 'filter'], site)
    warnOfRoles(door, filter, source, [...path, 'filter'], site)
  }
  const order = orderOf(written.sort, source, site, [...path, 'sort'])
  return {
    name,
    label: word('views', [...path, 'label'], written.label, site),
    description: word('views', [...path, 'description'], written.description, site),
    source,
    door,
    filter,
    scope: scopeOf(written.scope, source, site, [...path, 'scope']),
    order,
    defaultLimit: written.defaultLimit ?? DEFAULT_LIMIT,
    columns: compileColumns(written.columns, source, site, [...path, 'columns']),
  }
}

/** An order by stored fields that somebody may read; what is wrong is reported. */
export function orderOf(
  written: ViewDefinition['sort'],
  source: Resource,
  site: Site,
  path: Path,
): readonly Order[] {
  const order = writtenOrder(written, source, site, path)
  for (const { column } of order) {
    const field = source.fields.get(column.name)
    if (field) refuseSecret(field, path, site)
  }
  return order
}

/** The resource of a name; undefined where it was reported that there is none. */
export function sourceOf(name: string, site: Site, path: Path): Resource | undefined {
  const resource = site.model.resources.get(name)
  if (resource === undefined)
    site.problem(
      path,
      `there is no resource '${name.slice(0, 60)}'`,
      didYouMean(name, site.model.resources.keys()),
    )
  return resource
}

/** The scope of a name; undefined where none is named, and where it was reported that there is none. */
export function scopeOf(
  name: string | undefined,
  source: Resource,
  site: Site,
  path: Path,
): string | undefined {
  if (name === undefined || source.scopes.has(name)) return name
  site.problem(
    path,
    `'${source.name}' has no scope '${name.slice(0, 60)}'`,
    didYouMean(name, source.scopes.keys()),
  )
  return undefined
}
