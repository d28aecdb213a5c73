import { SYSTEM } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import { Access } from '../access/access.ts'
import type { Resource } from '../model/resource.ts'
import type { Change, ChangeKind } from './change.ts'

/**
 * The change of a record that is written along with another: with the system's rights, since nobody asked for it by
 * itself, in the name of the caller, whose doing it is, and at the same moment.
 */
export const companionOf = (cause: Change, kind: ChangeKind, resource: Resource, row: Row): Change => ({
  ...cause,
  kind,
  resource,
  access: new Access(resource, SYSTEM, cause.access.now),
  key: row[resource.key.name] as Exclude<Value, null>,
  previous: row,
  values: {},
  afterCommit: [],
  faults: [],
  body: undefined,
  parent: undefined,
  ifMatch: undefined,
  wanted: undefined,
  operation: undefined,
  answer: undefined,
  transition: undefined,
  prepared: undefined,
  record: undefined,
})
