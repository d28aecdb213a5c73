import type { Resource, Restricted, Restriction } from '@svc/domain/contract'
import type { Caller } from '@svc/kernel'
import type { Condition } from '@svc/store/contract'
import { privacyErrors } from '../errors.ts'
import { KEPT_FROM, type Operation, RESTRICTED, RESTRICTION, type Tables } from '../tables.ts'

/** Callers whom no restriction binds, since they answer for personal data. */
export type Exempt = WeakSet<Caller>

/** Says which records of resources that may be somebody's are left to an operation. */
export function createNarrow(resources: ReadonlySet<Resource>, tables: Tables, exempt: Exempt) {
  const known = new Map<Resource, Map<Restricted, Restriction>>()
  return (resource: Resource, operation: Restricted, caller: Caller): Restriction | undefined => {
    if (!resources.has(resource) || exempt.has(caller)) return undefined
    const own = known.get(resource) ?? new Map<Restricted, Restriction>()
    const made = own.get(operation) ?? {
      rows: rowsOf(resource, operation, tables),
      refuse: () => privacyErrors.RESTRICTED(),
    }
    known.set(resource, own.set(operation, made))
    return made
  }
}

/** Where nobody is restricted so, which the store finds out once, no record is looked at. */
function rowsOf(
  { name, key }: Resource,
  operation: Operation,
  { restrictions, restricted }: Tables,
): Condition {
  const isKept: Condition = { op: 'eq', column: KEPT_FROM[operation], value: true }
  const anybody: Condition = { op: 'exists', table: restrictions, on: [], where: isKept }
  const one: Condition = {
    op: 'exists',
    table: restricted,
    on: [[RESTRICTED.recordId, key.column!]],
    where: {
      op: 'and',
      of: [
        { op: 'eq', column: RESTRICTED.resource, value: name },
        {
          op: 'exists',
          table: restrictions,
          on: [[RESTRICTION.subjectHash, RESTRICTED.subjectHash]],
          where: isKept,
        },
      ],
    },
  }
  return {
    op: 'or',
    of: [
      { op: 'not', of: anybody },
      { op: 'not', of: one },
    ],
  }
}
