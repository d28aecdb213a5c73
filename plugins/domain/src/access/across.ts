import type { Crossing } from '@svc/expression/contract'
import type { Caller } from '@svc/kernel'
import type { Field } from '../model/field.ts'
import { isExpression } from '../model/permission.ts'
import type { Resource } from '../model/resource.ts'
import { siblingsOf } from '../model/siblings.ts'
import { holdsRole } from './roles.ts'

/** Whether callers of these roles may read, in every record, all that a formula finds in others, at any distance. */
export const readsAcross = ({ resource, reads }: Crossing, from: Resource, caller: Caller): boolean => {
  const target = siblingsOf(from).get(resource)
  return (
    target !== undefined &&
    mayLook(target, caller) &&
    [...reads].every((name) => isOpen(name, target, caller))
  )
}

/** Whether they may read all that any formula could find in any record. */
export function readsEverywhere(from: Resource, caller: Caller): boolean {
  for (const target of siblingsOf(from).values()) {
    if (!mayLook(target, caller)) return false
    for (const field of target.fields.values())
      if (field.compiled.type.readable && !isOpenField(field, target, caller)) return false
  }
  return true
}

/** Whether they may list records of a resource by their roles alone. */
const mayLook = ({ permissions: { list, conditional } }: Resource, caller: Caller): boolean =>
  caller.kind === 'system' ||
  (!isExpression(list) && conditional['list'] === undefined && holdsRole(list, caller))

/** Whether they may read a field in every record, and what it was worked out from. */
function isOpen(name: string, resource: Resource, caller: Caller, met = new Set<Field>()): boolean {
  const field = resource.fields.get(name)
  if (field === undefined || !isOpenField(field, resource, caller)) return false
  const { computed } = field
  // A circle is refused, or null.
  if (computed === undefined || met.has(field)) return true
  met.add(field)
  if (![...computed.expression.fields].every((one) => isOpen(one, resource, caller, met))) return false
  if (computed.overridable && resource.others !== undefined && !readsEverywhere(resource, caller))
    return false
  return computed.crossings.every(({ resource: other, reads }) => {
    const target = siblingsOf(resource).get(other)
    return (
      target !== undefined &&
      mayLook(target, caller) &&
      [...reads].every((one) => isOpen(one, target, caller, met))
    )
  })
}

function isOpenField(
  { name, overrides = name, hidden, requestable }: Field,
  resource: Resource,
  caller: Caller,
): boolean {
  const rule = resource.permissions.fields?.[overrides]?.read
  return (rule === undefined || holdsRole(rule, caller)) && (!hidden || requestable)
}
