import { doubtRoles } from '../access/reserved.ts'
import { OWNER } from '../access/verdict.ts'
import { didYouMean } from '../definition/names.ts'
import type { Path } from '../definition/problem.ts'
import { isExpression, type Permission, type PermissionsByName } from '../model/permission.ts'
import type { Report } from '../model/report.ts'
import type { Resource } from '../model/resource.ts'
import { eachResource, pathOf } from './check.ts'

/** Permissions name what exists: fields, states, transitions, operations. `?` was never a permission, and nobody owns what is not there yet. */
export const permissions = eachResource((resource, report) => {
  const { fields: ofFields = {}, conditional, transitions, ...operations } = resource.permissions
  const at = pathOf(resource, 'permissions')
  const judge = { resource, report }
  const { create, ...ofRecords } = operations
  judgeLists(ofRecords, at, judge)
  judgeLists({ create }, at, judge, false)
  judgeLists(transitions, [...at, 'transitions'], judge)
  knownNames(ofFields, resource.fields.keys(), 'field', [...at, 'fields'], judge)
  checkFields(ofFields, [...at, 'fields'], judge)
  const machine = resource.stateMachine
  knownNames(transitions, machine?.transitions ?? [], 'transition', [...at, 'transitions'], judge)
  knownNames(conditional, Object.keys(operations), 'operation', [...at, 'conditional'], judge)
  doubtOwner(create, [...at, 'create'], judge)
  for (const [operation, byState] of Object.entries(conditional)) {
    knownNames(byState, machine?.states.keys() ?? [], 'state', [...at, 'conditional', operation], judge)
    judgeLists(byState, [...at, 'conditional', operation], judge)
  }
  for (const { permission, path, definedAt } of resource.api.customOperations)
    judgeLists({ permissions: permission }, definedAt, judge, path.split('/').includes(':id'))
  judgeGuards(judge)
})

interface Judge {
  readonly resource: Resource
  readonly report: Report
}

function knownNames(
  written: Readonly<Record<string, unknown>>,
  known: Iterable<string>,
  kind: string,
  at: Path,
  { report }: Judge,
): void {
  const all = [...known]
  for (const name of Object.keys(written)) {
    if (!all.includes(name))
      report.problem([...at, name], `there is no ${kind} '${name}'`, didYouMean(name, all))
  }
}

function checkFields(ofFields: NonNullable<Resource['permissions']['fields']>, at: Path, judge: Judge): void {
  for (const [name, { read, write, mask }] of Object.entries(ofFields)) {
    judgeLists({ read: read ?? [], write: write ?? [] }, [...at, name], judge)
    if (mask === true && read === undefined)
      judge.report.warning([...at, name, 'mask'], "means nothing without 'read': everybody sees the value")
  }
}

function judgeGuards({ resource, report }: Judge): void {
  for (const { name: state, transitions } of resource.stateMachine?.states.values() ?? []) {
    for (const { name, guards = [] } of transitions.values())
      judgeLists({ guards }, pathOf(resource, 'stateMachine', 'states', state, 'transitions', name), {
        resource,
        report,
      })
  }
}

function judgeLists(lists: PermissionsByName, at: Path, { report }: Judge, isOwned = true): void {
  for (const [key, permission] of Object.entries<Permission>(lists)) {
    if (isExpression(permission)) continue
    doubtRoles(permission, [...at, key], report, isOwned)
    if (!permission.includes('?')) continue
    report.problem(
      [...at, key],
      "'?' is no permission",
      "Use 'authenticated' for any signed-in caller, '*' for everybody",
    )
  }
}

function doubtOwner(create: Permission, at: Path, { report }: Judge): void {
  const owner = isExpression(create) ? -1 : create.indexOf(OWNER)
  if (owner >= 0)
    report.warning(
      [...at, owner],
      "'owner' lets nobody create: a record that is not there yet is nobody's",
      "Write 'authenticated' for everybody who is signed in, or roles",
    )
}
