import { type EvaluationContext, type Expression, mergedReach } from '@svc/expression/contract'
import type { Reader, Row } from '@svc/store/contract'
import { SYSTEM } from '@svc/kernel'
import { Access } from '../access/access.ts'
import { BY_ITSELF } from '../access/restrictions.ts'
import { wholeReach } from '../model/computed.ts'
import type { Restricted } from '../contract/restriction.ts'
import type { Resource } from '../model/resource.ts'
import { workOutAll } from '../present/formulas.ts'
import { neighboursOfOne } from '../reach/neighbours.ts'
import type { Facts } from './facts.ts'
import { contextOf } from './showing.ts'
import { withRecords } from './variables.ts'

/**
 * What the service itself evaluates expressions with, outside of a write: the record with all its formulas, and the
 * related records that the expressions ask for, whoever may read those, but for what blocks keep from what is `done` with them: what
 * runs by itself unless said. A permission decides, and does nothing with them. What comes of it is for nobody's eyes: a text
 * that somebody reads is filled by `showingTo`.
 */
export async function evaluationOfFacts(
  facts: Facts,
  expressions: readonly Expression[],
  reader: Reader,
  done: readonly Restricted[] = BY_ITSELF,
): Promise<EvaluationContext> {
  const { resource, record, previous, now } = facts
  const whole = (one: Resource, row: Row) => workOutAll(row, Access.of(one, SYSTEM, now))
  const known = { ...facts, variables: withRecords(facts, { record: whole, made: () => true }) }
  if (resource === undefined) return contextOf(known)
  const access = Access.of(resource, facts.user ?? SYSTEM, now)
  const reading = { reader, access, rights: 'author', also: done } as const
  const reach = mergedReach(expressions.map((one) => wholeReach(one, resource.fields)))
  const previousReach = mergedReach(expressions.map((one) => one.previousReach))
  const neighbours = record ? await neighboursOfOne(record, reach, reading) : undefined
  const previousNeighbours = previous ? await neighboursOfOne(previous, previousReach, reading) : undefined
  return contextOf(known, {
    record: record && workOutAll(record, access, neighbours ?? {}),
    neighbours,
    previous,
    previousNeighbours,
  })
}
