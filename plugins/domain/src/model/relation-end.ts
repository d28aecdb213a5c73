import type { Relation } from '@svc/expression/contract'
import type { Relationship } from './relationship.ts'
import type { Resource } from './resource.ts'

/** What a relation of an expression is in the model. */
export interface RelationEnd {
  readonly relationship: Relationship
  /** Where it leads; undefined for the accounts of the service. */
  readonly target: Resource | undefined
}

/** A relation is forgotten with its model. */
const ends = new WeakMap<Relation, RelationEnd>()

/** What a relation is; it is asked when the model is whole. */
export function endOf(relation: Relation): RelationEnd {
  const end = ends.get(relation)
  if (end === undefined) throw new Error(`the relation '${relation.name}' is part of no model yet`)
  return end
}

/** Says what the relations of a model are, once its resources are known. */
export function bindRelations(resources: ReadonlyMap<string, Resource>): void {
  for (const { relations, relationships } of resources.values()) {
    for (const [name, relation] of relations) {
      const relationship = relationships.get(name)
      if (relationship === undefined) continue
      const { target } = relationship
      ends.set(relation, {
        relationship,
        target: target.kind === 'resource' ? resources.get(target.name) : undefined,
      })
    }
  }
}
