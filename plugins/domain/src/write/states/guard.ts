import type { AppError } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import { refusal, ruleOf, written } from '../../access/refusal.ts'
import { judge, passes } from '../../access/verdict.ts'
import { domainErrors } from '../../errors.ts'
import type { Transition } from '../../model/state-machine.ts'
import type { Change } from '../change.ts'

/** What decides whether a caller may take a transition. */
export type Move = Pick<
  Change,
  'kind' | 'resource' | 'access' | 'values' | 'previous' | 'neighbours' | 'nextNeighbours'
>

/**
 * Why the caller may not take a transition, or undefined. A permission of its own stands in place of the
 * transition's guards; without one, who may update may take it, if the guards let them.
 */
export function refusalOf(transition: Transition, change: Move): AppError | undefined {
  const { resource, access, previous } = change
  const own = resource.permissions.transitions[transition.name]
  if (own !== undefined) {
    const rule = written(`permissions.transitions.${transition.name}`, own)
    return passes(judge(own, access.judging('update')), previous!, change.neighbours)
      ? undefined
      : forbidden(change, transition, rule)
  }
  if (change.kind === 'transition' && !access.mayTouch('update', previous!, change.neighbours))
    return forbidden(change, transition, ruleOf(resource, 'update', previous))
  return guardsHold(transition, change) ? undefined : guarded(transition)
}

function guardsHold({ guards, guard }: Transition, change: Move): boolean {
  const { access } = change
  if (access.caller.kind === 'system') return true
  const record: Row = { ...change.previous, ...change.values }
  if (guards !== undefined && !passes(judge(guards, access.judging('update')), record)) return false
  return (
    guard === undefined ||
    guard.holds({
      record,
      neighbours: change.nextNeighbours,
      previous: change.previous,
      user: access.caller,
      op: 'update',
      now: access.now,
    })
  )
}

const forbidden = ({ resource }: Move, { name }: Transition, rule: string) =>
  refusal(resource, `The transition '${name}'`, rule)

const guarded = ({ name, guards, guard }: Transition) =>
  domainErrors.GUARD_FAILED({
    message: `The guard of the transition '${name}' does not let you pass`,
    explanation: guard ? `it asks that ${guard.source}` : `its guards are [${guards?.join(', ')}]`,
  })
