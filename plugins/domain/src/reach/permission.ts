import { mergedReach, type Reach } from '@svc/expression/contract'
import { isExpression, type Permission } from '../model/permission.ts'
import type { Resource } from '../model/resource.ts'

const remembered = new WeakMap<Resource, Reach>()

/** The related records that decide what anybody may do with a record, in whatever state it is. */
export function permissionReach(resource: Resource): Reach {
  const known = remembered.get(resource)
  if (known) return known
  const { permissions, api, stateMachine } = resource
  const { list: _, fields: __, conditional, transitions, ...operations } = permissions
  const all: readonly Permission[] = [
    ...Object.values(operations),
    ...Object.values(conditional).flatMap((byState) => Object.values(byState)),
    ...Object.values(transitions),
    ...api.customOperations.map(({ permission }) => permission),
  ]
  const made = mergedReach([
    ...all.filter(isExpression).map(({ reach }) => reach),
    ...(stateMachine ? [stateMachine.guardReach] : []),
  ])
  remembered.set(resource, made)
  return made
}

/** The related records that decide whether a transition may be taken by whoever asks for it. */
export const transitionReach = ({ permissions }: Resource): Reach =>
  mergedReach(
    Object.values(permissions.transitions)
      .filter(isExpression)
      .map(({ reach }) => reach),
  )
