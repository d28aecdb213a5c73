import type { Condition, Value } from '@svc/store/contract'
import type { Resource } from '../model/resource.ts'
import { notDeleted } from '../model/table.ts'

const remembered = new WeakMap<Resource, readonly Condition[]>()

/** The condition that leaves out soft-deleted rows, in a list that is empty where a resource deletes for good. */
export function liveRows(resource: Resource): readonly Condition[] {
  const known = remembered.get(resource)
  if (known) return known
  const column = resource.features.softDelete ? resource.fields.get('deletedAt')?.column : undefined
  const made = column ? [notDeleted(column)] : []
  remembered.set(resource, made)
  return made
}

/** The live row with this key. */
export const liveRow = (resource: Resource, key: Exclude<Value, null>): Condition =>
  allOf([isKey(resource, key), ...liveRows(resource)])

/** The row with this key, deleted or not. */
export const isKey = ({ key: { column } }: Resource, key: Exclude<Value, null>): Condition => ({
  op: 'eq',
  column: column!,
  value: key,
})

/** The soft-deleted row with this key. */
export function deletedRow(resource: Resource, key: Exclude<Value, null>): Condition {
  const isLive = allOf(liveRows(resource))
  return allOf([
    { op: 'eq', column: resource.key.column!, value: key },
    { op: 'not', of: isLive },
  ])
}

/** All of `conditions` at once, in the simplest form. */
export function allOf(conditions: readonly Condition[]): Condition {
  const real = conditions.filter((one) => one.op !== 'always')
  if (real.length === 0) return { op: 'always' }
  return real.length === 1 ? real[0]! : { op: 'and', of: real }
}
