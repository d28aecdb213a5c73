import type { Table } from '@svc/store/contract'
import type { Model } from '../model/model.ts'
import type { BelongsToMany } from '../model/relationship.ts'
import type { Report } from '../model/report.ts'
import type { Resource } from '../model/resource.ts'
import { pathOf } from './check.ts'

/** How tables begin that belong to the service, or to a database itself. */
const RESERVED: readonly string[] = ['svc_', 'sqlite_', 'pg_']

/** A domain's tables keep clear of the service's own, and a table between two resources means one thing. */
export function tables(model: Model, report: Report): void {
  refuseReserved(model, report)
  const junctions = [...model.resources.values()].flatMap((resource) =>
    [...resource.relationships.values()].flatMap((one) =>
      one.kind === 'belongsToMany' ? { resource, one } : [],
    ),
  )
  const owners = new Map([...model.resources.values()].map((resource) => [resource.table.name, resource]))
  const ends = new Map<string, End>()
  for (const end of junctions) {
    const { name } = end.one.junction
    const owner = owners.get(name)
    if (owner !== undefined) refuseResource(end, owner, report)
    const other = ends.get(name)
    if (other !== undefined) compareEnds(end, other, report)
    else ends.set(name, end)
  }
}

function refuseReserved({ name, tables: all }: Model, report: Report): void {
  const start = RESERVED.find((one) => all.some((table) => table.name.startsWith(one)))
  if (start === undefined) return
  report.problem(
    ['domain', 'name'],
    `the tables of '${name}' would begin with '${start}', as those of the service or the database do`,
    'Choose another name',
  )
}

interface End {
  readonly resource: Resource
  readonly one: BelongsToMany
}

function refuseResource({ resource, one }: End, owner: Resource, report: Report): void {
  report.problem(
    pathOf(resource, 'relationships', one.name, 'through'),
    `the table between the two would be that of '${owner.name}'`,
    `Choose another name, or link through '${owner.name}' by hasMany and belongsTo`,
  )
}

function compareEnds({ resource, one }: End, other: End, report: Report): void {
  if (columnsOf(one.junction) === columnsOf(other.one.junction)) return
  report.problem(
    pathOf(resource, 'relationships', one.name),
    `'${other.resource.name}.${other.one.name}' declares the same table otherwise: ${columnsOf(other.one.junction)}, here ${columnsOf(one.junction)}`,
    "Give both ends the same keys (swapped) and timestamps, or another 'through'",
  )
}

const columnsOf = ({ columns }: Table): string =>
  columns
    .map(({ name, kind }) => `${name} (${kind})`)
    .toSorted()
    .join(', ')
