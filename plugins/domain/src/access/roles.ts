import type { Caller } from '@svc/kernel'
import { AUTHENTICATED, PUBLIC } from './verdict.ts'

/** Whether a caller has one of these roles. */
export function holdsRole(roles: readonly string[], { kind, roles: own }: Caller): boolean {
  if (kind === 'system' || roles.includes(PUBLIC)) return true
  return roles.some((role) => (role === AUTHENTICATED ? kind === 'user' : own.includes(role)))
}
