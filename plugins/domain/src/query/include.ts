import type { Access } from '../access/access.ts'
import type { Relationship } from '../model/relationship.ts'
import type { Ignored } from './ignored.ts'

/** Reads `include=author,comments`: relationships of the resource, each once. An include of an include is not one. */
export function includes(
  include: string | undefined,
  { resource }: Access,
  ignored: Ignored,
): readonly Relationship[] {
  if (include === undefined || include === '') return []
  return [...new Set(include.split(','))].flatMap((name) => {
    const relationship = resource.relationships.get(name)
    if (relationship === undefined) ignored('include', name)
    return relationship ?? []
  })
}

/** The fields of a record that its included relationships start from. */
export function startsOf(relationships: readonly Relationship[], { resource }: Access) {
  return relationships.map((one) =>
    one.kind === 'belongsTo' ? resource.fields.get(one.foreignKey)! : resource.key,
  )
}
