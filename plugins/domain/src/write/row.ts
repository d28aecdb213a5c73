import type { Condition } from '@svc/store/contract'
import { deletedRow, isKey, liveRow } from '../query/live.ts'
import type { Change } from './change.ts'

/** The stored row that a change is about: a restore looks among the deleted ones, an overwrite among all. */
export function rowOf({ kind, resource, key }: Change): Condition {
  if (kind === 'overwrite') return isKey(resource, key!)
  return kind === 'restore' ? deletedRow(resource, key!) : liveRow(resource, key!)
}
