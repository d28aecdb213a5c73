import {
  type Data,
  doubtRoles,
  evaluationOfFacts,
  type Expression,
  type Path,
  type Resource,
  type Site,
} from '@svc/domain/contract'
import type { Caller } from '@svc/kernel'
import type { Row } from '@svc/store/contract'

/** Who may do something with a template: roles, those for whom an expression holds, or whom another plugin lets in. */
export type TemplatePermission =
  | { readonly roles: readonly string[]; readonly expression?: undefined }
  | { readonly roles?: undefined; readonly expression: Expression }
  | {
      readonly roles?: undefined
      readonly expression?: undefined
      readonly admits: (caller: Caller) => boolean
    }

/** Compiles a permission; nobody but the system has one that was reported as wrong. */
export function compilePermission(
  written: readonly string[] | string,
  path: Path,
  site: Site,
  resource: Resource | undefined,
): TemplatePermission {
  if (typeof written !== 'string') {
    doubtRoles(written, path, site)
    return { roles: written }
  }
  if (/^[A-Za-z_][\w-]*$/.test(written) && resource?.fields.get(written) === undefined) {
    site.problem(path, `'${written}' is no expression`, `For a role, write a list: ['${written}']`)
    return { roles: [] }
  }
  const speech = { ...(resource && { resource }), moment: 'read', kind: 'boolean' } as const
  const expression = site.expression(written, path, speech)
  return expression ? { expression } : { roles: [] }
}

/** What a permission comes to before there is a record. */
export type Leave = 'yes' | 'perhaps' | 'no'

export function leaveOf(permission: TemplatePermission, caller: Caller): Leave {
  if ('admits' in permission) return permission.admits(caller) ? 'yes' : 'no'
  const { roles } = permission
  if (caller.kind === 'system' || roles?.includes('*') === true) return 'yes'
  if (caller.kind === 'anonymous') return 'no'
  if (roles === undefined) return 'perhaps'
  if (roles.some((name) => name === 'authenticated' || caller.roles.includes(name))) return 'yes'
  return roles.includes('owner') ? 'perhaps' : 'no'
}

/** What a permission is asked about. */
export interface About {
  readonly resource: Resource | undefined
  /** The record as it is stored; undefined where there is none. */
  readonly record: Row | undefined
  /** Who owns the matter where it is about no record. */
  readonly owner: string | null
}

/** Whether a caller has a permission. */
export async function isPermitted(
  permission: TemplatePermission,
  caller: Caller,
  { resource, record, owner }: About,
  data: Data,
  now: () => number,
): Promise<boolean> {
  const leave = leaveOf(permission, caller)
  if (leave !== 'perhaps') return leave === 'yes'
  const { expression } = permission
  if (expression === undefined) {
    const field = resource?.ownerField?.name
    const id = resource === undefined ? owner : field === undefined ? null : (record?.[field] ?? null)
    return id !== null && id === caller.id
  }
  // Once its record is gone, roles alone pass.
  if (resource !== undefined && record === undefined) return false
  const facts = { resource, record, user: caller, now }
  return expression.holds(await evaluationOfFacts(facts, [expression], data.reader, []))
}
