import type { Expression, Path, Site } from '@svc/domain/contract'
import { type ActionAccess, type Caller, errors } from '@svc/kernel'

/** Who may ask for something: roles, or those for whom an expression about the caller holds. */
export interface Door {
  /** As it is written. */
  readonly written: readonly string[] | string
  /** What the pipeline judges. */
  readonly access: ActionAccess
  /** Lets a caller in, or throws FORBIDDEN; the pipeline has judged `access` already. */
  assert(caller: Caller, now: () => number): void
  /** Whether a caller would be let in, the pipeline's part included. */
  admits(caller: Caller, now: () => number): boolean
}

const SHUT: readonly string[] = []

/** Compiles the `permissions` of a view, report or dashboard; one that was reported as wrong opens to nobody. */
export function compileDoor(
  written: readonly string[] | string = ['admin'],
  path: Path,
  site: Site,
  what: string,
): Door {
  if (typeof written !== 'string') {
    for (const [at, name] of written.entries())
      if (name === 'owner' || name === '?') refuse(name, [...path, at], site)
    return ofRoles(written)
  }
  if (written === '?') refuse(written, path, site)
  else if (/^(?:\*|[A-Za-z_][\w-]*)$/.test(written) && !/^(?:true|false)$/i.test(written))
    site.problem(path, `'${written}' is no expression`, `For a role, write a list: ['${written}']`)
  else {
    const expression = site.expression(written, path, { moment: 'read', kind: 'boolean' })
    if (expression) return ofExpression(written, expression, what)
  }
  return ofRoles(SHUT)
}

const refuse = (name: string, path: Path, site: Site): void =>
  site.problem(
    path,
    `'${name}' asks for a record, and there is none yet`,
    'Name roles, or write an expression about the caller',
  )

const ofRoles = (roles: readonly string[]): Door => ({
  written: roles,
  access: roles,
  assert: () => undefined,
  admits: (caller) => hasOne(roles, caller),
})

function hasOne(roles: readonly string[], { kind, roles: own }: Caller): boolean {
  if (kind === 'system' || roles.includes('*')) return true
  return kind !== 'anonymous' && roles.some((role) => role === 'authenticated' || own.includes(role))
}

function ofExpression(written: string, expression: Expression, what: string): Door {
  const admits = (caller: Caller, now: () => number): boolean =>
    caller.kind === 'system' || (caller.kind !== 'anonymous' && expression.holds({ user: caller, now }))
  return {
    written,
    access: 'record',
    admits,
    assert(caller, now) {
      if (admits(caller, now)) return
      throw caller.kind === 'anonymous'
        ? errors.UNAUTHORIZED()
        : errors.FORBIDDEN({
            message: `The ${what} is not open to you`,
            explanation: `permissions asks that ${written}`,
          })
    },
  }
}
