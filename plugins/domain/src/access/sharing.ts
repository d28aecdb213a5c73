import type { Caller } from '@svc/kernel'
import { isExpression } from '../model/permission.ts'
import type { Resource } from '../model/resource.ts'
import { asksForAccounts, readingPermissions } from '../model/reached.ts'
import { OWNER } from './verdict.ts'

/** How answers about some resources may be shared between requests. */
export type Sharing =
  /** They change with time alone, so each is made anew. */
  | 'none'
  /** They differ from user to user. */
  | 'user'
  /** They are alike for all callers of the same roles. */
  | 'roles'

/** Words by which an expression or a filter asks for the time. */
const TIME = /\b(now|today|current_timestamp)\b/i
/** Words by which one asks for the caller, or may do so. */
const CALLER = /\b(user|op|userId|isOwner|isAuthenticated|hasRole|hasAnyRole)\b|[$:]/i

/** Whether an expression may ask for the time or the caller. */
export const asksForMore = (source: string): boolean => TIME.test(source) || CALLER.test(source)

/** How answers that show records of `resources` may be shared: where in doubt, less. */
export function sharingOf(resources: readonly Resource[]): Sharing {
  const texts = resources.flatMap(textsOf)
  if (texts.some((text) => TIME.test(text))) return 'none'
  const isOwn = (one: Resource): boolean => asksForUser(one) || asksForAccounts(one)
  const added = resources.flatMap((one) => [...(one.functions ?? [])])
  const asks = (what: 'clock' | 'caller') =>
    added.some(([name, { reads }]) => reads.includes(what) && texts.some((text) => text.includes(name)))
  if (asks('clock')) return 'none'
  if (asks('caller')) return 'user'
  return resources.some(isOwn) || texts.some((text) => CALLER.test(text)) ? 'user' : 'roles'
}

/** What an answer depends on besides its request and the records: two callers of equal rights may share it. */
export const rightsOf = ({ kind, id, username, email, roles, claims }: Caller, sharing: Sharing): unknown =>
  sharing === 'roles' ? [kind, ...roles.toSorted()] : [kind, id, username, email, roles, claims]

/** Everything about a resource that is worked out when it is read. */
const textsOf = (resource: Resource): readonly string[] => [
  ...readingPermissions(resource).flatMap((one) => (isExpression(one) ? one.source : [])),
  ...[...resource.scopes.values()].map(({ filter }) => filter),
  // Stored ones too: for whoever may not read what they were made from they are worked out anew.
  ...resource.computed.map(({ computed }) => computed.expression.source),
]

const asksForUser = (resource: Resource): boolean =>
  readingPermissions(resource).some((one) => isExpression(one) || one.includes(OWNER)) ||
  Object.values(resource.permissions.fields ?? {}).some(({ read = [] }) => read.includes(OWNER))
