import { type AppError, errors } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import { type Guarded, isExpression, type Permission } from '../model/permission.ts'
import type { Resource } from '../model/resource.ts'
import { stateOf } from '../model/state-machine.ts'

/** Refuses a caller: by the name of what was asked for, and by the rule that refused, which development alone tells. */
export const refusal = ({ name }: Resource, what: string, rule: string): AppError =>
  errors.FORBIDDEN({ message: `${what} of '${name}' is not open to you`, explanation: rule })

/** The rule that decides about an operation, of one record where that is known. */
export function ruleOf({ permissions, stateMachine }: Resource, operation: Guarded, record?: Row): string {
  const state = record && stateMachine && stateOf(stateMachine, record)
  const conditional = new Map(Object.entries(permissions.conditional[operation] ?? {}))
  const own = state === undefined ? undefined : conditional.get(state)
  if (own !== undefined) return written(`permissions.conditional.${operation}.${state}`, own)
  return written(`permissions.${operation}`, permissions[operation])
}

/** A permission as its author reads it again. */
export const written = (place: string, permission: Permission): string =>
  isExpression(permission)
    ? `${place} asks that ${permission.source}`
    : `${place} is [${permission.join(', ')}]`
