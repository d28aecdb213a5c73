import type { Expression } from '@svc/expression/contract'
import { type ActionAccess, type Caller, errors } from '@svc/kernel'
import { doubtRoles } from '../access/reserved.ts'
import type { Site } from '../contract/site.ts'
import type { Path } from '../definition/problem.ts'

/** Who may ask a part of a domain for something that no record is: roles, or those for whom an expression about the caller holds. */
export interface Door {
  /** As it is written. */
  readonly written: readonly string[] | string
  /** What the pipeline judges of it, for an action that it opens. */
  readonly access: ActionAccess
  /** Lets a caller in, or throws UNAUTHORIZED or FORBIDDEN. */
  assert(caller: Caller, now: () => number): void
  /** Whether a caller is let in. */
  admits(caller: Caller, now: () => number): boolean
}

const SHUT: readonly string[] = []

/**
 * Compiles `permissions` of what no record is, `['admin']` where nothing is written; one that was reported as wrong opens to
 * nobody. `what` names it to who is kept out: `view 'busy'`.
 */
export function compileDoor(
  written: readonly string[] | string = ['admin'],
  path: Path,
  site: Site,
  what: string,
): Door {
  if (typeof written !== 'string') {
    for (const [at, name] of written.entries())
      if (name === 'owner' || name === '?') refuse(name, [...path, at], site)
    doubtRoles(written, path, site, false)
    return ofRoles(written, what)
  }
  if (written === '?') refuse(written, path, site)
  else if (/^(?:\*|[A-Za-z_][\w-]*)$/.test(written) && !/^(?:true|false)$/i.test(written))
    site.problem(path, `'${written}' is no expression`, `For a role, write a list: ['${written}']`)
  else {
    const expression = site.expression(written, path, { moment: 'read', kind: 'boolean' })
    if (expression) return ofExpression(written, expression, what)
  }
  return ofRoles(SHUT, what)
}

const refuse = (name: string, path: Path, site: Site): void =>
  site.problem(
    path,
    `'${name}' asks for a record, and there is none yet`,
    'Name roles, or write an expression about the caller',
  )

const ofRoles = (roles: readonly string[], what: string): Door => {
  const admits = ({ kind, roles: own }: Caller) =>
    kind === 'system' ||
    roles.includes('*') ||
    (kind !== 'anonymous' && roles.some((role) => role === 'authenticated' || own.includes(role)))
  return doorOf(roles, { access: roles, what, admits })
}

const ofExpression = (written: string, expression: Expression, what: string): Door =>
  doorOf(written, {
    access: 'record',
    what,
    admits: (caller, now) =>
      caller.kind === 'system' || (caller.kind !== 'anonymous' && expression.holds({ user: caller, now })),
  })

interface Judging extends Pick<Door, 'access' | 'admits'> {
  readonly what: string
}

const doorOf = (written: Door['written'], { access, admits, what }: Judging): Door => ({
  written,
  access,
  admits,
  assert(caller, now) {
    if (admits(caller, now)) return
    throw caller.kind === 'anonymous' ? errors.UNAUTHORIZED() : errors.FORBIDDEN(closed(written, what))
  },
})

const closed = (written: Door['written'], what: string) => ({
  message: `The ${what} is not open to you`,
  ...(typeof written === 'string' && { explanation: `permissions asks that ${written}` }),
})
