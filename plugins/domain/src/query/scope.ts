import type { Ignored } from '@svc/kernel'
import type { Condition } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import { liveRows } from './live.ts'

/** The scopes of a soft-deletable resource that show deleted records; every other one is about live ones. */
const SHOWS_DELETED = new Set(['deleted', 'all'])

/** The rows of the scope that a query names, else of the default one; a name that no scope has is ignored. */
export function scopeRows(name: string | undefined, access: Access, ignored: Ignored): readonly Condition[] {
  const { resource, caller } = access
  const named = name === undefined || name === '' ? undefined : resource.scopes.get(name)
  if (name && named === undefined) ignored('scope', name)
  const scope = named ?? [...resource.scopes.values()].find((one) => one.default)
  const live = scope && SHOWS_DELETED.has(scope.name) ? [] : liveRows(resource)
  return scope ? [...live, scope.rows.bind(caller, access.now())] : live
}

/** The rows among which one is looked up by its key: live ones, or those of a scope that the query names. */
export const reachableRows = (
  name: string | undefined,
  access: Access,
  ignored: Ignored,
): readonly Condition[] =>
  name === undefined || name === '' ? liveRows(access.resource) : scopeRows(name, access, ignored)
