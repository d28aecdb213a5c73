import { SYSTEM } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import { Access } from '../access/access.ts'
import type { Resource } from '../model/resource.ts'
import type { ChangeKind } from '../contract/change.ts'
import { type Change, type ChangeStart, createChange } from './change.ts'

/** What a record that is written along takes over from what it goes along with. */
export type Companion = Pick<
  ChangeStart,
  | 'domain'
  | 'caller'
  | 'runtime'
  | 'requestId'
  | 'acceptLanguage'
  | 'at'
  | 'asker'
  | 'depth'
  | 'origin'
  | 'cause'
  | 'tell'
>

/** What the records that go along with a change take over from it. */
export const companionOf = (cause: Change): Companion => {
  const { domain, caller, runtime, requestId, acceptLanguage, at, asker, depth, origin } = cause
  const tell: Companion['tell'] = (warning) => cause.warn(warning)
  return { domain, caller, runtime, requestId, acceptLanguage, at, asker, depth, origin, cause, tell }
}

/**
 * The change of a record that is written along with another: with the system's rights, since nobody asked for it by
 * itself, in the name of the caller, whose doing it is, and at the same moment.
 */
export const cascadedChange = (cause: Change, kind: ChangeKind, resource: Resource, row: Row): Change =>
  companionChange(companionOf(cause), kind, resource, row)

/** The same where what it goes along with is over. */
export function companionChange(
  companion: Companion,
  kind: ChangeKind,
  resource: Resource,
  row: Row,
): Change {
  const access = Access.of(resource, SYSTEM, companion.runtime.env.now)
  const key = row[resource.key.name] as Exclude<Value, null>
  const change = createChange({ ...companion, kind, resource, access, key, body: undefined })
  change.previous = row
  return change
}
