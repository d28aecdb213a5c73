import type { EvaluationContext, Expression, Neighbours, Reach } from '@svc/expression/contract'
import type { Caller } from '@svc/kernel'
import type { Reader } from '@svc/store/contract'
import { Access } from '../access/access.ts'
import { BY_ITSELF } from '../access/restrictions.ts'
import { wholeReach } from '../model/computed.ts'
import { endOf } from '../model/relation-end.ts'
import { OF_ACCOUNTS } from '../reach/open.ts'
import type { Facts } from './facts.ts'
import { type Showing, showingTo } from './showing.ts'

/**
 * Which expressions a caller may be told the values of as the service itself works them out, with `found` of `evaluationOfFacts`:
 * nothing that they read is kept from the caller, and no record that they lead to. A list has to be open to the caller in whole,
 * since else it would be told whether there is more than what it may list.
 */
export async function showingWhole(
  caller: Caller,
  facts: Facts,
  expressions: readonly Expression[],
  reader: Reader,
  found: EvaluationContext,
): Promise<Showing['shows']> {
  const { resource, now } = facts
  const { shows, context } = await showingTo(caller, facts, expressions, reader, { done: BY_ITSELF })
  if (resource === undefined) return shows
  const access = Access.of(resource, caller, now)
  const sees = (reach: Reach, all: Neighbours | undefined, seen: Neighbours | undefined) =>
    seesAll(reach, { all: all ? [all] : [], seen: seen ? [seen] : [] }, access)
  return (one) =>
    shows(one) &&
    sees(wholeReach(one, resource.fields), found.neighbours, context.neighbours) &&
    sees(one.previousReach, found.previousNeighbours, context.previousNeighbours)
}

/** What records of one resource lead to: as it is, and as far as the caller sees it, which is never more than that. */
interface Sights {
  readonly all: readonly Neighbours[]
  readonly seen: readonly Neighbours[]
}

function seesAll(reach: Reach, { all, seen }: Sights, { caller, now }: Access): boolean {
  for (const [name, { relation, fields, reach: further }] of reach) {
    const { target, way, crossed } = endOf(relation)
    // Whether it sees these has been asked of the formula, and of the field that the way starts from.
    if (crossed !== undefined || way !== undefined) continue
    const [there, told] = [listed(all, name), listed(seen, name)]
    if (there.length > told.length) return false
    if (target === undefined) {
      const isTold = [...fields].every((field) => OF_ACCOUNTS.has(field))
      if (!isTold && there.some(({ record }) => record['id'] !== caller.id)) return false
      continue
    }
    const own = Access.of(target, caller, now)
    if (relation.many ? !own.opensEvery('list') : own.rowsIfAny('get') === undefined) return false
    if (![...fields].every((field) => own.readable(field) !== undefined)) return false
    const beyond = { all: there.map(neighboursIn), seen: told.map(neighboursIn) }
    if (!seesAll(further, beyond, own)) return false
  }
  return true
}

type One = Exclude<Neighbours[string], null | readonly unknown[]>

const neighboursIn = ({ neighbours }: One): Neighbours => neighbours

/** All that records lead to by one name. */
const listed = (of: readonly Neighbours[], name: string): readonly One[] =>
  of.flatMap((one) => one[name] ?? [])
