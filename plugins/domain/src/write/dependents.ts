import type { Column, Table } from '@svc/store/contract'
import type { Model } from '../model/model.ts'
import type { BelongsTo, BelongsToMany } from '../model/relationship.ts'
import type { Resource } from '../model/resource.ts'

/** A resource whose records refer to those of another, and what becomes of them when that one is deleted. */
export interface Dependent {
  readonly resource: Resource
  /** The column with the key of the other record. */
  readonly column: Column
  readonly onDelete: Exclude<BelongsTo['onDelete'], 'none'>
}

/** A table between two resources, and its column with the key of one side. */
export interface Link {
  readonly table: Table
  readonly column: Column
}

/** What refers to the records of a resource. */
export interface Dependents {
  readonly children: readonly Dependent[]
  readonly links: readonly Link[]
}

/** What refers to the records of every resource of a model, by the resource's name. */
export const dependentsOf = (model: Model): ReadonlyMap<string, Dependents> =>
  new Map(
    [...model.resources.keys()].map((name) => [
      name,
      { children: childrenOf((one) => leadsTo(one, name), model), links: linksOf(name, model) },
    ]),
  )

/** What refers to the accounts of the service. */
export const accountDependents = (model: Model): readonly Dependent[] =>
  childrenOf(({ target }) => target.kind === 'users', model)

/** The resources with a key that leads to where `leads` says, and that have something to do when that is deleted. */
const childrenOf = (leads: (one: BelongsTo) => boolean, { resources }: Model): readonly Dependent[] =>
  [...resources.values()].flatMap((resource) =>
    [...resource.relationships.values()].flatMap((one) => {
      if (one.kind !== 'belongsTo' || one.onDelete === 'none' || !leads(one)) return []
      return { resource, column: resource.fields.get(one.foreignKey)!.column!, onDelete: one.onDelete }
    }),
  )

/** Both ends may declare the same table, and a resource may be both ends of one. */
function linksOf(name: string, { resources }: Model): readonly Link[] {
  const links = [...resources.values()].flatMap((resource) =>
    [...resource.relationships.values()].flatMap((one): readonly Link[] => {
      if (one.kind !== 'belongsToMany') return []
      return [
        ...(resource.name === name ? [linkOf(one, one.foreignKey)] : []),
        ...(leadsTo(one, name) ? [linkOf(one, one.otherKey)] : []),
      ]
    }),
  )
  return [...new Map(links.map((link) => [`${link.table.name}.${link.column.name}`, link])).values()]
}

const linkOf = ({ junction }: BelongsToMany, column: string): Link => ({
  table: junction,
  column: junction.columns.find(({ name }) => name === column)!,
})

const leadsTo = ({ target }: BelongsTo | BelongsToMany, name: string): boolean =>
  target.kind === 'resource' && target.name === name

/** A record that is only marked keeps its children, unless they can be marked too: it may come back. */
export const goesAlong = (child: Dependent, parent: Resource): boolean =>
  child.resource.features.softDelete || !parent.features.softDelete
