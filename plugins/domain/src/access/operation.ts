import type { ActionAccess } from '@svc/kernel'
import { mergedReach } from '@svc/expression/contract'
import type { Column, Condition } from '@svc/store/contract'
import type { Guarded, Permission, PermissionsByName } from '../model/permission.ts'
import { isExpression } from '../model/permission.ts'
import type { Resource } from '../model/resource.ts'
import { type StateMachine, stateOf } from '../model/state-machine.ts'
import { judge, type Judging, OWNER, passes, PUBLIC, type Verdict } from './verdict.ts'

/** Judges an operation on a resource: its permission, or what stands in its place for records in some states. */
export function judgeOperation(
  { permissions, stateMachine, fields }: Resource,
  operation: Guarded,
  judging: Judging,
): Verdict {
  const general = judge(permissions[operation], judging)
  const byState = permissions.conditional[operation]
  if (byState === undefined || stateMachine === undefined || judging.caller.kind === 'system') return general
  const column = fields.get(stateMachine.field)?.column
  return column ? byStates(general, judgedStates(byState, judging), stateMachine, column) : general
}

/** What the pipeline can decide of an operation before there is a record. */
export function actionAccess({ permissions }: Resource, operation: Guarded): ActionAccess {
  const all = [permissions[operation], ...Object.values(permissions.conditional[operation] ?? {})]
  if (all.some((permission) => !isExpression(permission) && permission.includes(PUBLIC))) return [PUBLIC]
  return all.length > 1 ? 'record' : permissionAccess(all[0]!)
}

/** The same for a permission that stands alone. */
export const permissionAccess = (permission: Permission): ActionAccess =>
  isExpression(permission) || (permission.includes(OWNER) && !permission.includes(PUBLIC))
    ? 'record'
    : permission

const judgedStates = (byState: PermissionsByName, judging: Judging): ReadonlyMap<string, Verdict> =>
  new Map(Object.entries(byState).map(([state, permission]) => [state, judge(permission, judging)]))

function byStates(
  general: Verdict,
  states: ReadonlyMap<string, Verdict>,
  machine: StateMachine,
  column: Column,
): Verdict {
  const verdicts = [general, ...states.values()]
  if (verdicts.every(({ kind }) => kind === 'all')) return general
  if (verdicts.every(({ kind }) => kind === 'none')) return general
  return {
    kind: 'some',
    rows: () => rowsByState(general, states, (state) => isIn(state, machine, column)),
    reads: [column, ...verdicts.flatMap((verdict) => (verdict.kind === 'some' ? verdict.reads : []))],
    reach: mergedReach(verdicts.flatMap((verdict) => (verdict.kind === 'some' ? verdict.reach : []))),
    test: (record, neighbours) => passes(states.get(stateOf(machine, record)) ?? general, record, neighbours),
  }
}

/** The records in a state: one that is stored without any is in the initial one. */
function isIn(value: string, { initial }: StateMachine, column: Column): Condition {
  const isStored: Condition = { op: 'eq', column, value }
  return value === initial ? { op: 'or', of: [isStored, { op: 'null', column }] } : isStored
}

function rowsByState(
  general: Verdict,
  states: ReadonlyMap<string, Verdict>,
  isInState: (state: string) => Condition,
): Condition {
  const named = [...states].map(([state, verdict]): Condition => ({
    op: 'and',
    of: [isInState(state), conditionOf(verdict)],
  }))
  const others = [...states.keys()].map((state): Condition => ({ op: 'not', of: isInState(state) }))
  return { op: 'or', of: [...named, { op: 'and', of: [...others, conditionOf(general)] }] }
}

function conditionOf(verdict: Verdict): Condition {
  if (verdict.kind === 'some') return verdict.rows()
  return { op: verdict.kind === 'all' ? 'always' : 'never' }
}
