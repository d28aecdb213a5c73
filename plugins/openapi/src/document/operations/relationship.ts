import type { BelongsToMany, Relationship } from '@svc/domain/contract'
import type { Catalog, Entry } from '../catalog.ts'
import { answering, jsonBody, objectOf, type Parts, refer, type Schema } from '../parts.ts'
import { listing, listingNotes, shared } from './listing.ts'
import type { DocumentOperation, RecordOperation } from './operation.ts'

/** The operations of one relationship: its list, and for a junction its links. */
export const relationshipOperation =
  (relationship: Relationship, catalog: Catalog): DocumentOperation =>
  (operation) => {
    const { kind, target } = relationship
    const entry = target.kind === 'users' ? undefined : catalog.find(operation.entry.model.name, target.name)
    if (kind === 'belongsToMany' && operation.method !== 'GET') return link(relationship, operation, entry)
    return related(entry)
  }

function related(entry: Entry | undefined): Parts {
  if (entry === undefined) return { success: answering({}, 'The related records') }
  return {
    description: listingNotes(entry),
    parameters: listing(entry),
    success: answering(refer('schemas', entry.names.list), `The related ${entry.resource.plural}`),
    failures: ['BadRequest', 'NotFound'],
  }
}

function link(
  { foreignKey, otherKey }: BelongsToMany,
  { method, entry }: RecordOperation,
  target: Entry | undefined,
): Parts {
  const own = entry.resource.key.compiled.openapi
  const other: Schema = target?.resource.key.compiled.openapi ?? { type: 'string' }
  const isLink = method === 'POST'
  const done: Schema = { type: 'boolean', const: true }
  const answer = objectOf({ [isLink ? 'linked' : 'unlinked']: done, [foreignKey]: own, [otherKey]: other })
  return {
    description: 'Safe to repeat.',
    path: { targetId: other },
    ...(isLink && {
      parameters: shared('IdempotencyKeyParam'),
      body: jsonBody(objectOf({ [otherKey]: other })),
    }),
    success: answering(answer, isLink ? 'They are linked' : 'They are not linked any more'),
    failures: ['NotFound', 'Conflict', ...(isLink ? (['ValidationError'] as const) : [])],
  }
}
