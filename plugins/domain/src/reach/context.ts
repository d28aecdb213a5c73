import { type EvaluationContext, type Expression, mergedReach } from '@svc/expression/contract'
import type { Reader } from '@svc/store/contract'
import { wholeReach } from '../model/computed.ts'
import { workOutAll } from '../present/formulas.ts'
import type { Change } from '../contract/change.ts'
import { neighboursOfOne } from './neighbours.ts'

/**
 * What expressions on a write are evaluated with: the record, all its formulas among it, and the related records that the
 * expressions ask for, whoever may read those. At once where they ask for none. In `afterWrite` the record is as the write
 * leaves it; in `beforeWrite` it is as it was, and a new one is without related records. A deleted one is as it was in both.
 */
export function evaluationOf(
  change: Change,
  expressions: readonly Expression[],
  reader: Reader,
): EvaluationContext | Promise<EvaluationContext> {
  const { fields } = change.resource
  const reach = mergedReach(expressions.map((one) => wholeReach(one, fields)))
  const previousReach = mergedReach(expressions.map((one) => one.previousReach))
  if (reach.size === 0 && previousReach.size === 0) return contextOf(change)
  return reaching(change, { reach, previousReach }, reader)
}

async function reaching(
  change: Change,
  { reach, previousReach }: Pick<Expression, 'reach' | 'previousReach'>,
  reader: Reader,
): Promise<EvaluationContext> {
  const { record, previous, access } = change
  const reading = { reader, access, rights: 'author' } as const
  const now = record ?? previous
  const neighbours = now && (await neighboursOfOne(now, reach, reading))
  const previousNeighbours = previous && (await neighboursOfOne(previous, previousReach, reading))
  return contextOf(change, { neighbours, previousNeighbours })
}

type Related = Pick<EvaluationContext, 'neighbours' | 'previousNeighbours'>

function contextOf(
  { kind, record, previous, values, caller, access }: Change,
  related: Related = {},
): EvaluationContext {
  return {
    record: workOutAll(record ?? previous ?? values, access, related.neighbours),
    previous,
    ...related,
    user: caller,
    op: kind === 'create' || kind === 'delete' ? kind : 'update',
    now: access.now,
  }
}
