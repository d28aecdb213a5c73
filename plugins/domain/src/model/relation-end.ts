import type { Relation } from '@svc/expression/contract'
import { shared } from '@svc/kernel'
import type { Way } from '../contract/way.ts'
import type { Relationship } from './relationship.ts'
import type { Resource } from './resource.ts'

/**
 * What a relation of an expression is in the model: it leads to records, to accounts of the service, to rows of a plugin, or to
 * what a formula finds in other records.
 */
export type RelationEnd =
  | {
      readonly relationship: Relationship
      readonly target: Resource
      readonly way?: undefined
      readonly crossed?: undefined
    }
  | {
      readonly relationship: Relationship
      readonly target: undefined
      readonly way?: undefined
      readonly crossed?: undefined
    }
  | {
      readonly relationship: undefined
      readonly target: undefined
      readonly way: Way
      readonly crossed?: undefined
    }
  | {
      readonly relationship: undefined
      readonly target: undefined
      readonly way?: undefined
      readonly crossed: string
    }

/** A relation is forgotten with its model. */
const ends = shared('domain.relation-ends', () => new WeakMap<Relation, RelationEnd>())

/** What a relation is; it is asked when the model is whole. */
export function endOf(relation: Relation): RelationEnd {
  const end = ends.get(relation)
  if (end === undefined) throw new Error(`the relation '${relation.name}' is part of no model yet`)
  return end
}

/** Says what the way of a plugin is. */
export function bindWay(way: Way): void {
  ends.set(way.relation, { relationship: undefined, target: undefined, way })
}

/** Says that a relation stands for what the formula of a field finds. */
export function bindCrossed(relation: Relation, field: string): void {
  ends.set(relation, { relationship: undefined, target: undefined, crossed: field })
}

/** Says what the relations of a model are, once its resources are known. */
export function bindRelations(resources: ReadonlyMap<string, Resource>): void {
  for (const { relations, relationships } of resources.values()) {
    for (const [name, relation] of relations) {
      const relationship = relationships.get(name)
      if (relationship === undefined) continue
      const { target } = relationship
      const resource = target.kind === 'resource' ? resources.get(target.name) : undefined
      ends.set(relation, resource ? { relationship, target: resource } : { relationship, target: undefined })
    }
  }
}
