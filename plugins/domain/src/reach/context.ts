import { type EvaluationContext, type Expression, mergedReach } from '@svc/expression/contract'
import type { Reader, Row } from '@svc/store/contract'
import { wholeReach } from '../model/computed.ts'
import type { Resource } from '../model/resource.ts'
import { workOutAll } from '../present/formulas.ts'
import type { Change } from '../contract/change.ts'
import type { Restricted } from '../contract/restriction.ts'
import { neighboursOfOne } from './neighbours.ts'

/**
 * What expressions on a write are evaluated with: the record, all its formulas among it, and the related records that the
 * expressions ask for, whoever may read those. At once where they ask for none. The record is as the write leaves it, in
 * `beforeWrite` too, where it leads to others by the foreign keys that it will have, and lists of others that it comes into
 * or leaves by the write are as they were. A deleted one is as it was. Related records are left out that blocks keep from what is
 * `done` with them; a decision does nothing with them.
 */
export function evaluationOf(
  change: Change,
  expressions: readonly Expression[],
  reader: Reader,
  done: readonly Restricted[] = [],
): EvaluationContext | Promise<EvaluationContext> {
  const { fields } = change.resource
  const reach = mergedReach(expressions.map((one) => wholeReach(one, fields)))
  const previousReach = mergedReach(expressions.map((one) => one.previousReach))
  if (reach.size === 0 && previousReach.size === 0) return evaluationAlone(change)
  return reaching(change, { reach, previousReach }, reader, done)
}

/** The same for expressions that stay with the record, as `staysWithRecord` says. */
export const evaluationAlone = (change: Change): EvaluationContext => contextOf(change)

/** Whether an expression on a write asks for no related record, neither by itself nor by a formula that it reads. */
export const staysWithRecord = (expression: Expression, { fields }: Resource): boolean =>
  wholeReach(expression, fields).size === 0 && expression.previousReach.size === 0

async function reaching(
  change: Change,
  { reach, previousReach }: Pick<Expression, 'reach' | 'previousReach'>,
  reader: Reader,
  also: readonly Restricted[],
): Promise<EvaluationContext> {
  const { previous, access } = change
  const reading = { reader, access, rights: 'author', also } as const
  const neighbours = await neighboursOfOne(writtenOf(change), reach, reading)
  const previousNeighbours = previous && (await neighboursOfOne(previous, previousReach, reading))
  return contextOf(change, { neighbours, previousNeighbours })
}

type Related = Pick<EvaluationContext, 'neighbours' | 'previousNeighbours'>

function contextOf(change: Change, related: Related = {}): EvaluationContext {
  const { previous, caller, access } = change
  return {
    record: workOutAll(writtenOf(change), access, related.neighbours),
    previous,
    ...related,
    user: caller,
    op: opOf(change),
    now: access.now,
  }
}

/** What expressions on a write read as `op`: the name of a custom operation; all else that changes a record is an update. */
export const opOf = ({ kind, operation }: Pick<Change, 'kind' | 'operation'>): string =>
  operation?.name ?? (kind === 'create' || kind === 'delete' ? kind : 'update')

/** The record as a write leaves it, before the write too, without formulas; a deleted one is as it was. */
export const writtenOf = ({ kind, previous, record, values }: Change): Row =>
  record ?? (kind === 'delete' && previous ? previous : { ...previous, ...values })
