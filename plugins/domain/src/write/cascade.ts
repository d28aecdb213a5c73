import { SYSTEM } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import { Access } from '../access/access.ts'
import type { Resource } from '../model/resource.ts'
import type { ChangeKind } from '../contract/change.ts'
import { type Change, createChange } from './change.ts'

/**
 * The change of a record that is written along with another: with the system's rights, since nobody asked for it by
 * itself, in the name of the caller, whose doing it is, and at the same moment.
 */
export const cascadedChange = (cause: Change, kind: ChangeKind, resource: Resource, row: Row): Change => {
  const { domain, caller, runtime, requestId, acceptLanguage, at, asker, depth, origin } = cause
  const access = new Access(resource, SYSTEM, cause.access.now)
  const key = row[resource.key.name] as Exclude<Value, null>
  const change = createChange({
    kind,
    domain,
    resource,
    access,
    caller,
    runtime,
    requestId,
    acceptLanguage,
    at,
    key,
    body: undefined,
    asker,
    depth,
    origin,
    cause,
    tell: (warning) => cause.warn(warning),
  })
  change.previous = row
  return change
}
