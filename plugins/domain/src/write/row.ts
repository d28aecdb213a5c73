import type { Condition } from '@svc/store/contract'
import { deletedRow, liveRow } from '../query/live.ts'
import type { Change } from './change.ts'

/** The stored row that a change is about: a restore looks among the deleted ones. */
export const rowOf = ({ kind, resource, key }: Change): Condition =>
  kind === 'restore' ? deletedRow(resource, key!) : liveRow(resource, key!)
