import type { Path, Site } from '@svc/domain/contract'
import { type Caller, errors } from '@svc/kernel'

/** Who may do something: roles, or those for whom an expression about the caller holds. */
export interface Door {
  admits(caller: Caller): boolean
  /** Lets a caller in, or throws FORBIDDEN. */
  assert(caller: Caller): void
}

/** Compiles permissions that no record is asked for; what was reported as wrong opens to nobody. */
export function compileDoor(
  written: readonly string[] | string | undefined,
  path: Path,
  site: Site,
  now: () => number,
): Door {
  if (written === undefined) return ofRoles(['admin'])
  if (typeof written !== 'string') {
    for (const [at, name] of written.entries())
      if (name === 'owner' || name === '?')
        site.problem([...path, at], `'${name}' asks for a record, and there is none`, 'Name roles')
    return ofRoles(written)
  }
  if (/^(?:\*|\?|[A-Za-z_][\w-]*)$/.test(written) && !/^(?:true|false)$/i.test(written)) {
    site.problem(path, `'${written}' is no expression`, `For a role, write a list: ['${written}']`)
    return ofRoles([])
  }
  const expression = site.expression(written, path, { moment: 'read', kind: 'boolean' })
  return doorOf(
    (caller) => caller.kind !== 'anonymous' && (expression?.holds({ user: caller, now }) ?? false),
  )
}

const ofRoles = (roles: readonly string[]): Door =>
  doorOf(
    ({ kind, roles: own }) =>
      roles.includes('*') ||
      (kind !== 'anonymous' && roles.some((role) => role === 'authenticated' || own.includes(role))),
  )

function doorOf(admits: (caller: Caller) => boolean): Door {
  const isOpen = (caller: Caller) => caller.kind === 'system' || admits(caller)
  return {
    admits: isOpen,
    assert(caller) {
      if (isOpen(caller)) return
      throw caller.kind === 'anonymous'
        ? errors.UNAUTHORIZED()
        : errors.FORBIDDEN({ message: 'This integration is not open to you' })
    },
  }
}
