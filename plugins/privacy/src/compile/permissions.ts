import type { Path, Site } from '@svc/domain/contract'
import { type PrivacyDefinition, type Right, RIGHTS } from '../definition.ts'

/** Who may do what: names of roles, and `subject` for the person. */
export type Permissions = Readonly<Record<Right, readonly string[]>>

const DEFAULT: readonly string[] = ['admin']
/** What permissions of resources take, and these do not. */
const REFUSED: ReadonlySet<string> = new Set(['*', 'owner', 'authenticated', '?'])
const ROLE = /^[A-Za-z0-9_-]+$/

/** Who may do what; what is no role is reported. */
export function compilePermissions({ permissions }: PrivacyDefinition, site: Site): Permissions {
  if (permissions === undefined || Array.isArray(permissions)) {
    checkRoles(permissions ?? [], ['permissions'], site)
    return byRight(() => permissions ?? DEFAULT)
  }
  for (const right of RIGHTS) checkRoles(permissions[right] ?? [], ['permissions', right], site)
  return byRight((right) => permissions[right] ?? DEFAULT)
}

const byRight = (rolesOf: (right: Right) => readonly string[]): Permissions =>
  Object.freeze(
    Object.fromEntries(RIGHTS.map((right) => [right, rolesOf(right)])) as Record<Right, readonly string[]>,
  )

function checkRoles(roles: readonly string[], path: Path, site: Site): void {
  for (const [at, role] of roles.entries()) {
    if (!REFUSED.has(role) && ROLE.test(role)) continue
    site.problem(
      [...path, at],
      `'${role.slice(0, 60)}' is no role`,
      'Name roles, or subject for the person that the data is about',
    )
  }
}
