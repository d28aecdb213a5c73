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
  const at = pathOf(resource, 'relationships', one.name)
  const named = `'${other.resource.name}.${other.one.name}'`
  if (isSameEnd({ resource, one }, other))
    return report.problem(
      at,
      `${named} keeps its links in the same table '${one.junction.name}'`,
      "Name another table with 'through', or drop one of the two",
    )
  if (columnsOf({ resource, one }) === columnsOf(other)) return
  report.problem(
    at,
    `${named} declares the same table otherwise: ${columnsOf(other)}, here ${columnsOf({ resource, one })}`,
    "Give both ends the same keys (swapped) and timestamps, or another 'through'",
  )
}

/** Two relationships of one resource that lead the same way through the same table have the same links. */
const isSameEnd = (a: End, b: End): boolean =>
  a.resource === b.resource && a.one.foreignKey === b.one.foreignKey

/** The columns of a junction, with the resource whose key each holds. */
const columnsOf = ({ resource, one }: End): string =>
  one.junction.columns
    .map(({ name, kind }) => {
      const target = one.target.kind === 'resource' ? one.target.name : ''
      const holder = name === one.foreignKey ? resource.name : name === one.otherKey ? target : ''
      return `${name} (${[holder, kind].filter((part) => part !== '').join(', ')})`
    })
    .toSorted()
    .join(', ')
