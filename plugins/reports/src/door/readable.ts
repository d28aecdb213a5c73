import type { Data, Door, Expression, Field, Path, Resource, Site } from '@svc/domain/contract'
import type { BindingContext } from '@svc/expression/contract'
import type { Caller } from '@svc/kernel'
import type { Condition, Value } from '@svc/store/contract'

/** What an expression, or a part of one, reads. */
export type Reads = Pick<Expression, 'fields' | 'reach'>

/** A field that no caller may read. */
const isSecret = ({ compiled, hidden, requestable }: Field): boolean =>
  !compiled.type.readable || (hidden && !requestable)

/** Reports a field that nobody may read; answers whether it is one. */
export function refuseSecret(field: Field, path: Path, site: Site): boolean {
  if (!isSecret(field)) return false
  site.problem(
    path,
    `nobody may read '${field.name}'`,
    field.compiled.type.readable ? 'Make it requestable' : undefined,
  )
  return true
}

/** Reports what an expression reads of a resource and of related records and nobody may read. */
export function refuseSecrets({ fields, reach }: Reads, source: Resource, path: Path, site: Site): void {
  for (const name of fields) {
    const field = source.fields.get(name)
    if (field) refuseSecret(field, path, site)
  }
  for (const [name, { fields: further, reach: beyond }] of reach) {
    const target = source.relationships.get(name)?.target
    const resource = target?.kind === 'resource' ? site.model.resources.get(target.name) : undefined
    if (resource) refuseSecrets({ fields: further, reach: beyond }, resource, path, site)
  }
}

/** Warns where a role that is let in may not read what picks its rows. */
export function warnOfRoles(
  { written: roles }: Pick<Door, 'written'>,
  { fields }: Reads,
  source: Resource,
  path: Path,
  site: Site,
): void {
  if (typeof roles === 'string') return
  for (const role of roles) {
    const shut = [...fields].find((name) => !mayRead(role, source.permissions.fields?.[name]?.read))
    if (shut !== undefined)
      site.warning(
        path,
        `'${role}' may not read '${shut}', which this asks about: it is refused to this role`,
      )
  }
}

const mayRead = (role: string, rule: readonly string[] | undefined): boolean =>
  rule === undefined ||
  rule.includes('*') ||
  rule.includes(role) ||
  (role !== '*' && rule.includes('authenticated'))

/** On whose behalf something is worked out, and with what. */
export interface Asking {
  readonly data: Data
  readonly caller: Caller
  readonly parameters?: Readonly<Record<string, Value>>
  /** Whether it becomes a file. */
  readonly isExport?: boolean
  now(): number
}

/** The bindings of expressions that read these, for a caller who may read all of it; undefined for any other. */
export function bindingFor(
  source: Resource,
  reads: readonly Reads[],
  { data, caller, parameters, isExport = false, now }: Asking,
): BindingContext | undefined {
  const rowsOf = data.opens(source, reads, caller, isExport ? ['export'] : [])
  return rowsOf && { user: caller, op: 'list', now, rowsOf, ...(parameters && { parameters }) }
}

/** A condition on rows with what it reads. */
export interface Filter extends Reads {
  /** Its text: two of the same source and text are one. */
  readonly source: string
  rows(context: BindingContext): Condition
}
