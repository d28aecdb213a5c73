import {
  type EvaluationContext,
  type Expression,
  type MadeShape,
  mergedReach,
  type Neighbours,
  NO_REACH,
  type Reach,
} from '@svc/expression/contract'
import type { Reader, Row } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { Restricted } from '../contract/restriction.ts'
import { wholeReach } from '../model/computed.ts'
import type { Resource } from '../model/resource.ts'
import { neighboursOfOne } from '../reach/neighbours.ts'
import { accessOf, type Audience, rightsOf } from './audience.ts'
import type { Facts } from './facts.ts'
import { seesOrigins } from './made.ts'
import { recordFor, storedOf } from './record.ts'
import { seesMembers, seesReach, seesReads } from './sight.ts'
import { namesWithRecords, withRecords } from './variables.ts'

/** What one reader may be told. */
export interface Showing {
  /** What expressions are evaluated with: of every record what the reader may read. */
  readonly context: EvaluationContext
  /** Whether the value of an expression may be told: nothing that it is worked out from is kept from the reader. */
  shows(expression: Expression): boolean
}

/** How a reader is told. */
export interface ShowingOptions {
  /** What the reader may see masked in related records is `***`, as answers show it. */
  readonly masks?: boolean
  /** What is done with related records besides: those that blocks keep from that are not there for anybody. */
  readonly done?: readonly Restricted[]
}

/**
 * What a reader may be told of facts by these expressions. Related records are read now, as the reader may read them, with
 * `reader`: the store, or the transaction that is going on.
 */
export async function showingTo(
  audience: Audience,
  facts: Facts,
  expressions: readonly Expression[],
  reader: Reader,
  { masks = false, done = [] }: ShowingOptions = {},
): Promise<Showing> {
  const { resource, now } = facts
  const shows = sightOf(audience, facts)
  const shown = (one: Resource, record: Row, neighbours?: Neighbours) =>
    recordFor(audience, one, record, now, { neighbours, isNamed: true })
  const made = ({ of }: MadeShape) => seesOrigins(of, (one) => accessOf(audience, one, now))
  const showers = { record: shown, made }
  const known = {
    ...facts,
    variables: withRecords(facts, showers),
    names: namesWithRecords(facts, showers),
    user: facts.user,
  }
  if (resource === undefined) return { shows, context: contextOf(known) }
  const told = masks ? expressions : expressions.filter(shows)
  const access = accessOf(audience, resource, now)
  const reading = { reader, access, rights: rightsOf(audience), masks, also: done }
  const related = (row: Row | null | undefined, reach: Reach) =>
    row ? neighboursOfOne(storedOf(resource, row), reach, reading) : undefined
  const neighbours = await related(
    facts.record,
    mergedReach(told.map((one) => wholeReach(one, resource.fields))),
  )
  const previousNeighbours = await related(facts.previous, mergedReach(told.map((one) => one.previousReach)))
  const context = contextOf(known, {
    record: facts.record && shown(resource, facts.record, neighbours ?? {}),
    neighbours,
    previous: facts.previous && shown(resource, facts.previous),
    previousNeighbours,
  })
  return { shows, context }
}

type Records = Pick<EvaluationContext, 'record' | 'neighbours' | 'previous' | 'previousNeighbours'>

/** What expressions are evaluated with. */
export const contextOf = (
  { user, op, names, parameters, variables, now }: Facts,
  records: Records = {},
): EvaluationContext => ({ user, op, names, parameters, variables, now, ...records })

/** Which expressions a reader may be told the values of. */
function sightOf(audience: Audience, { resource, record, previous, now }: Facts): Showing['shows'] {
  const known = new Map<Expression, boolean>()
  const of = (one: Resource): Access => accessOf(audience, one, now)
  const [present, past] = resource
    ? [record, previous].map((row) => (row ? storedOf(resource, row) : undefined))
    : []
  const shows = (one: Expression): boolean => {
    if (!seesMembers(one, of) || !seesReach(one.previousReach, of)) return false
    if (resource === undefined) return true
    const access = of(resource)
    if (!seesReads(one, access, of, present)) return false
    const { previousFields: fields } = one
    return past === undefined || seesReads({ fields, reach: NO_REACH }, access, of, past)
  }
  return (one) => {
    const found = known.get(one) ?? shows(one)
    known.set(one, found)
    return found
  }
}
