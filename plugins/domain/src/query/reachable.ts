import { errors } from '@svc/kernel'
import type { Reader, Value } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import { isRestricted, restrictionsOf } from '../access/restrictions.ts'
import type { Restricted } from '../contract/restriction.ts'
import { allOf, isKey } from './live.ts'

type Asking = Pick<Access, 'resource' | 'caller'>

/**
 * Refuses a record that a block keeps from an operation, whatever the caller may do otherwise; it is there, and the
 * caller's permissions are judged already. Answers at once where no block restricts anything.
 */
export function assertReachable(
  asking: Asking,
  operation: Restricted,
  key: Exclude<Value, null>,
  reader: Reader,
): void | Promise<void> {
  return isRestricted(asking.resource) ? assertEach(asking, operation, key, reader) : undefined
}

async function assertEach(
  { resource, caller }: Asking,
  operation: Restricted,
  key: Exclude<Value, null>,
  reader: Reader,
): Promise<void> {
  for (const { rows, refuse } of restrictionsOf(resource, operation, caller)) {
    const found = await reader.select({
      table: resource.table,
      columns: [resource.key.column!],
      where: allOf([isKey(resource, key), rows]),
      order: [],
      limit: 1,
    })
    if (found.length > 0) continue
    throw (
      refuse?.() ??
      errors.NOT_FOUND({ message: `There is no ${resource.name} '${String(key).slice(0, 100)}'` })
    )
  }
}
