import type { Relationship } from '@svc/domain/contract'
import type { Catalog } from '../catalog.ts'
import { bulk, importRecords } from './many.ts'
import type { DocumentOperation, RecordOperation } from './operation.ts'
import { count, distinct, exportRecords, get, list } from './read.ts'
import { relationshipOperation } from './relationship.ts'
import { create, custom, put, remove, restore, transition, transitionOf, update } from './write.ts'

/** What the operations of every resource look like, by the name that their actions note. */
const OPERATIONS: ReadonlyMap<string, DocumentOperation> = new Map([
  ['list', list],
  ['get', get],
  ['create', create],
  ['update', update],
  ['put', put],
  ['delete', remove],
  ['count', count],
  ['distinct', distinct],
  ['bulk', bulk],
  ['restore', restore],
  ['export', exportRecords],
  ['import', importRecords],
])

/**
 * What documents an operation: its place below the record where that decides, else its kind, else what the
 * resource declares under its name; undefined where none of them knows it.
 */
export function documentationOf(operation: RecordOperation, catalog: Catalog): DocumentOperation | undefined {
  const { resource } = operation.entry
  if (transitionOf(operation) !== undefined) return transition
  const relationship = relationshipOf(operation)
  if (relationship !== undefined) return relationshipOperation(relationship, catalog)
  return (
    OPERATIONS.get(operation.operation) ??
    (resource.api.customOperations.some(({ name }) => name === operation.operation) ? custom : undefined)
  )
}

/** `/orders/:id/lines` and what stands below it. */
function relationshipOf({ entry, path }: RecordOperation): Relationship | undefined {
  const [, name] = /\/:[^/]+\/([^/:]+)(?:\/:[^/]+)?$/.exec(path) ?? []
  const found = name === undefined ? undefined : entry.resource.relationships.get(name)
  return found?.kind === 'belongsTo' ? undefined : found
}
