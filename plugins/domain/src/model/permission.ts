import type { Column } from '@svc/store/contract'
import type { Path } from '../definition/problem.ts'
import type { PermissionsDefinition } from '../definition/schema/resource.ts'
import type { PermissionDefinition } from '../definition/schema/text.ts'
import {
  type BindRows,
  type Expression,
  type Vocabulary,
  translate,
  untranslatable,
} from '@svc/expression/contract'
import { buildCondition } from './expression.ts'
import type { Field } from './field.ts'
import type { Report } from './report.ts'

/** Who may do something: callers of these roles, or those for whom an expression holds. */
export type Permission = readonly string[] | Rule

/** An expression that opens records. */
export interface Rule extends Expression {
  /** The same for the store; undefined where a database cannot say it. */
  readonly rows: BindRows | undefined
}

/** Tells an expression from a list of roles. */
export const isExpression = (permission: Permission): permission is Rule => 'ast' in permission

/** A permission as its author wrote it. */
export const writtenPermission = (permission: Permission): readonly string[] | string =>
  isExpression(permission) ? permission.source : permission

export type Guarded = 'list' | 'get' | 'create' | 'update' | 'delete'

/** What each state, or each transition, asks for in place of the general rule. */
export type PermissionsByName = Readonly<Record<string, Permission>>

/** Who may do what; operations that the definition leaves out are the admins' alone. */
export interface Permissions extends Readonly<Record<Guarded, Permission>> {
  readonly fields: PermissionsDefinition['fields']
  /** In place of an operation's permission, by the state that the record is in. */
  readonly conditional: Readonly<Record<string, PermissionsByName>>
  /** In place of a transition's guards. */
  readonly transitions: PermissionsByName
}

export interface PermissionSurroundings {
  readonly vocabulary: Vocabulary
  readonly fields: ReadonlyMap<string, Field>
  readonly report: Report
}

/** What stands in for an expression that was reported as wrong. */
const NOBODY: readonly string[] = Object.freeze([])

/** Compiles the permissions of a resource. */
export function buildPermissions(
  written: PermissionsDefinition = {},
  path: Path,
  around: PermissionSurroundings,
): Permissions {
  const of = (operation: Guarded) =>
    buildGuarded(operation, written[operation] ?? ['admin'], [...path, operation], around)
  return Object.freeze({
    list: of('list'),
    get: of('get'),
    create: of('create'),
    update: of('update'),
    delete: of('delete'),
    fields: written.fields && mapped(written.fields, (rules) => rules),
    conditional: mapped(written.conditional, (byState, operation) =>
      mapped(byState, (permission, state) =>
        buildGuarded(operation, permission, [...path, 'conditional', operation, state], around),
      ),
    ),
    transitions: mapped(written.transitions, (permission, name) =>
      buildPermission(permission, [...path, 'transitions', name], around),
    ),
  })
}

/** Compiles one permission that is asked about a record at hand. */
export function buildPermission(
  written: PermissionDefinition,
  path: Path,
  { vocabulary, fields, report }: PermissionSurroundings,
): Permission {
  if (typeof written !== 'string' || written === '?') return Object.freeze([written].flat())
  if (isRoleName(written, vocabulary)) {
    report.problem(path, `'${written}' is no expression`, `For a role, write a list: ['${written}']`)
    return NOBODY
  }
  const expression = buildCondition(written, path, vocabulary, report)
  if (expression === undefined) return NOBODY
  const place = { vocabulary, columns: columnsOf(fields) }
  const rows = untranslatable(expression, place) ? undefined : translate(expression, place)
  return Object.freeze({ ...expression, rows })
}

/** Compiles a condition by which the store picks rows; undefined where it was reported, as what SQL cannot say is. */
export function buildRows(
  source: string,
  path: Path,
  around: PermissionSurroundings,
): (Expression & { readonly rows: BindRows }) | undefined {
  const { vocabulary, fields, report } = around
  const expression = buildCondition(source, path, vocabulary, report)
  if (expression === undefined) return undefined
  const place = { vocabulary, columns: columnsOf(fields) }
  if (untranslatable(expression, place) !== undefined)
    return void refuseUntranslatable(expression, path, around)
  return Object.freeze({ ...expression, rows: translate(expression, place) })
}

const columnsOf = (fields: ReadonlyMap<string, Field>): ReadonlyMap<string, Column> =>
  new Map([...fields.values()].flatMap(({ name, column }) => (column ? [[name, column]] : [])))

/** Compiles the permission of an operation. A list is picked by the store, so its expression is said in SQL. */
function buildGuarded(
  operation: string,
  written: PermissionDefinition,
  path: Path,
  around: PermissionSurroundings,
): Permission {
  const permission = buildPermission(written, path, around)
  if (operation === 'list' && isExpression(permission)) refuseUntranslatable(permission, path, around)
  return permission
}

function refuseUntranslatable(
  expression: Expression,
  path: Path,
  { vocabulary, fields, report }: PermissionSurroundings,
): void {
  const virtual = [...expression.fields].find((name) => fields.get(name)?.column === undefined)
  if (virtual !== undefined)
    return report.problem(
      path,
      `'${virtual}' is worked out on every read, and a list is picked by what is stored`,
      'Store it (stored: true), or write what it stands for',
    )
  const found = untranslatable(expression, { vocabulary, columns: columnsOf(fields) })
  if (found === undefined) return
  report.problem(
    path,
    `a list is picked by the database, which cannot work this out (character ${found.node.offset + 1}): ${found.reason}`,
  )
}

const isRoleName = (written: string, { fields }: Vocabulary): boolean =>
  /^(\*|[A-Za-z_][\w-]*)$/.test(written) && fields?.has(written) !== true && !/^(true|false)$/i.test(written)

function mapped<T, R>(
  written: Readonly<Record<string, T>> | undefined,
  build: (value: T, key: string) => R,
): Readonly<Record<string, R>> {
  // Names of an author are looked up here: nothing is inherited.
  const built: Record<string, R> = Object.create(null)
  for (const [key, value] of Object.entries(written ?? {})) built[key] = build(value, key)
  return Object.freeze(built)
}
