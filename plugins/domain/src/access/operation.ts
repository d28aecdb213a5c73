import type { ActionAccess } from '@svc/kernel'
import { mergedReach } from '@svc/expression/contract'
import type { Column, Condition } from '@svc/store/contract'
import type { Guarded, Permission, PermissionsByName } from '../model/permission.ts'
import { isExpression } from '../model/permission.ts'
import type { Resource } from '../model/resource.ts'
import { judge, type Judging, OWNER, passes, PUBLIC, type Verdict } from './verdict.ts'

/** Judges an operation on a resource: its permission, or what stands in its place for records in some states. */
export function judgeOperation(
  { permissions, stateMachine, fields }: Resource,
  operation: Guarded,
  judging: Judging,
): Verdict {
  const general = judge(permissions[operation], judging)
  const byState = permissions.conditional[operation]
  const column = stateMachine && fields.get(stateMachine.field)?.column
  if (byState === undefined || column === undefined || judging.caller.kind === 'system') return general
  return byStates(general, judgedStates(byState, judging), column)
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

function byStates(general: Verdict, states: ReadonlyMap<string, Verdict>, column: Column): Verdict {
  const verdicts = [general, ...states.values()]
  if (verdicts.every(({ kind }) => kind === 'all')) return general
  if (verdicts.every(({ kind }) => kind === 'none')) return general
  return {
    kind: 'some',
    rows: () => rowsByState(general, states, column),
    reads: [column, ...verdicts.flatMap((verdict) => (verdict.kind === 'some' ? verdict.reads : []))],
    reach: mergedReach(verdicts.flatMap((verdict) => (verdict.kind === 'some' ? verdict.reach : []))),
    test: (record, neighbours) =>
      passes(states.get(String(record[column.name])) ?? general, record, neighbours),
  }
}

function rowsByState(general: Verdict, states: ReadonlyMap<string, Verdict>, column: Column): Condition {
  const named = [...states].map(([state, verdict]): Condition => ({
    op: 'and',
    of: [{ op: 'eq', column, value: state }, conditionOf(verdict)],
  }))
  const others = [...states.keys()].map((value): Condition => ({ op: 'ne', column, value }))
  return { op: 'or', of: [...named, { op: 'and', of: [...others, conditionOf(general)] }] }
}

function conditionOf(verdict: Verdict): Condition {
  if (verdict.kind === 'some') return verdict.rows()
  return { op: verdict.kind === 'all' ? 'always' : 'never' }
}
