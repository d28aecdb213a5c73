import { errors } from '@svc/kernel'
import { mergedReach, type Neighbours, NO_REACH, type Reach } from '@svc/expression/contract'
import type { Reader, Row } from '@svc/store/contract'
import { refusal, written } from '../access/refusal.ts'
import { judge, passes, type Verdict } from '../access/verdict.ts'
import type { Guarded } from '../model/permission.ts'
import type { ChangeKind, OwnKind } from '../contract/change.ts'
import type { Change } from './change.ts'
import { neighboursIfAny } from '../reach/neighbours.ts'
import { transitionReach } from '../reach/permission.ts'

/**
 * The permission that each kind of write asks. A transition is asked about its own when the state is known; who may
 * not get the record learns nothing of that. A custom operation has its own.
 */
const GUARDS = {
  create: 'create',
  update: 'update',
  put: 'update',
  delete: 'delete',
  restore: 'delete',
  transition: 'get',
  custom: undefined,
  overwrite: undefined,
  linked: 'update',
  unlinked: 'update',
} as const satisfies Record<OwnKind, Guarded | undefined>

/** A kind that a block owns writes a record that is there. */
const guardOf = (kind: ChangeKind): Guarded | undefined => (isOwn(kind) ? GUARDS[kind] : 'update')

const isOwn = (kind: ChangeKind): kind is OwnKind => Object.hasOwn(GUARDS, kind)

type Asked = Pick<Change, 'kind' | 'access' | 'operation' | 'resource' | 'wanted'>

/** Refuses a caller who could write no record at all, before anything is read. */
export function assertPossible(change: Asked & Pick<Change, 'corrects'>): void {
  if ((change.kind === 'overwrite' || change.corrects) && change.access.caller.kind !== 'system')
    throw new Error('records are overwritten and corrected by the system alone')
  const guard = guardOf(change.kind)
  if (guard !== undefined) change.access.assert(guard, whatOf(change))
  const verdict = ownVerdict(change)
  if (verdict?.kind === 'none') throw verdict.anonymous ? errors.UNAUTHORIZED() : refused(change)
}

/** Asks whether the caller may touch a record. */
export function assertPermitted(change: Asked, record: Row, neighbours?: Neighbours): void {
  const guard = guardOf(change.kind)
  if (guard !== undefined) change.access.assertRecord(guard, record, whatOf(change), neighbours)
  const verdict = ownVerdict(change)
  if (verdict !== undefined && !passes(verdict, record, neighbours)) throw refused(change)
}

/** Asks whether the caller may make a record such as this one, which leads where its keys do. */
export function authorizeNew(change: Change, reader: Reader): void | Promise<void> {
  const { values, access } = change
  const neighbours = neighboursIfAny(values, decidingReach(change), { reader, access, rights: 'author' })
  if (neighbours === undefined) return assertPermitted(change, values)
  return neighbours.then((found) => assertPermitted(change, values, found))
}

/** The related records that decide whether the caller may touch a record, and may take it to another state. */
export function decidingReach(change: Asked & Pick<Change, 'values'>): Reach {
  const { kind, access, resource, values } = change
  const guard = guardOf(kind)
  const own = ownVerdict(change)
  const reaches = [
    guard === undefined ? NO_REACH : access.reaching(guard),
    own?.kind === 'some' ? own.reach : NO_REACH,
  ]
  const field = resource.stateMachine?.field
  const mayMove =
    field !== undefined &&
    kind !== 'create' &&
    (values[field] !== undefined || MOVING.has(kind) || !isOwn(kind))
  return mergedReach(mayMove ? [...reaches, transitionReach(resource), access.reaching('update')] : reaches)
}

/** Kinds that may change the state without a value for it. */
const MOVING: ReadonlySet<ChangeKind> = new Set(['transition', 'custom'])

const ownVerdict = ({ operation, access }: Asked): Verdict | undefined =>
  operation && judge(operation.permission, access.judging(operation.name))

const refused = (change: Asked) =>
  refusal(change.resource, whatOf(change), written('permissions', change.operation!.permission))

/** What was asked for, in the words of a refusal. */
const whatOf = ({ kind, wanted, operation }: Asked): string =>
  kind === 'transition' ? `The transition '${wanted}'` : `The operation '${operation?.name ?? kind}'`
