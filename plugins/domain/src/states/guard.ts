import { type AppError, errors } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import { judge, passes } from '../access/verdict.ts'
import { domainErrors } from '../errors.ts'
import type { Transition } from '../model/state-machine.ts'
import type { Change } from '../write/change.ts'

/** What decides whether a caller may take a transition. */
export type Move = Pick<Change, 'kind' | 'resource' | 'access' | 'values' | 'previous'>

/**
 * Why the caller may not take a transition, or undefined. A permission of its own stands in place of the
 * transition's guards; without one, who may update may take it, if the guards let them.
 */
export function refusalOf(transition: Transition, change: Move): AppError | undefined {
  const { resource, access, previous } = change
  const own = resource.permissions.transitions[transition.name]
  if (own !== undefined)
    return passes(judge(own, access.judging('update')), previous!) ? undefined : forbidden(transition)
  if (change.kind === 'transition' && !access.mayTouch('update', previous!)) return forbidden(transition)
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
      previous: change.previous,
      user: access.caller,
      op: 'update',
      now: access.now,
    })
  )
}

const forbidden = ({ name }: Transition) =>
  errors.FORBIDDEN({ message: `You may not take the transition '${name}'` })

const guarded = ({ name }: Transition) =>
  domainErrors.GUARD_FAILED({ message: `The guard of the transition '${name}' does not let you pass` })
