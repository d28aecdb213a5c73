import type { Relation } from '@svc/expression/contract'
import { bindCrossed } from './relation-end.ts'
import type { Resource } from './resource.ts'

const known = new WeakMap<Resource, Map<string, Relation>>()

/**
 * What stands among relations for that which the formula of a field finds in other records: it is read where records are
 * shown, as what records lead to is. No text can write its name.
 */
export function crossedRelation(field: string, resource: Resource): Relation {
  const own = known.get(resource) ?? new Map<string, Relation>()
  known.set(resource, own)
  const found = own.get(field)
  if (found !== undefined) return found
  const made = relationOf(field, resource)
  bindCrossed(made, field)
  own.set(field, made)
  return made
}

const relationOf = (name: string, { key, table }: Resource): Relation => ({
  name,
  many: false,
  near: key.name,
  vocabulary: {},
  join: {
    related: { table, on: [key.column!, key.column!], where: { op: 'never' } },
    order: [],
    columns: new Map(),
  },
})
