import type { AppError } from '@svc/kernel'
import type { Reader, Value } from '@svc/store/contract'
import { domainErrors } from '../../errors.ts'
import { type StateMachine, stateOf, type Transition } from '../../model/state-machine.ts'
import { neighboursIfAny } from '../../reach/neighbours.ts'
import { finding } from '../../speech/sentences.ts'
import type { Change } from '../change.ts'
import { faultDetail } from '../refuse.ts'
import { assign } from './assign.ts'
import { refusalOf } from './guard.ts'

/**
 * Takes a change from one state to another where it asks for that, by name or by writing the state field. The
 * first transition that lets the caller pass is taken; where none does, the first refusal is told.
 */
export function moveState(change: Change, reader: Reader): void | Promise<void> {
  const machine = change.resource.stateMachine
  if (machine === undefined || !asksForMove(change, machine)) return undefined
  const looking = lookAhead(change, machine, reader)
  return looking === undefined ? move(change, machine) : looking.then(() => move(change, machine))
}

/** Reads what guards ask of the record as it will be; undefined at once where they ask nothing of others. */
function lookAhead(change: Change, { guardReach }: StateMachine, reader: Reader): Promise<void> | undefined {
  const { access, previous, values } = change
  const next = { ...previous, ...values }
  const neighbours = neighboursIfAny(next, guardReach, { reader, access, rights: 'author' })
  return neighbours?.then((found) => void (change.nextNeighbours = found))
}

function move(change: Change, machine: StateMachine): void {
  const transition = chosen(change, machine)
  assertComplete(transition, change)
  assign(change, transition.sets)
  change.values[machine.field] = transition.to
  change.transition = transition
}

/** Throws what keeps a change from the transition that it asks for by name: that none leads on, a permission, a guard. */
export async function assertMovable(change: Change, reader: Reader): Promise<void> {
  const machine = change.resource.stateMachine
  if (machine === undefined || change.kind !== 'transition') return
  await lookAhead(change, machine, reader)
  chosen(change, machine)
}

/** Writing the state that a record is in is no move; it stays where the record is stored without one. */
export function asksForMove({ kind, values, previous }: Change, machine: StateMachine): boolean {
  const { field } = machine
  if (kind === 'transition') return true
  if (values[field] === undefined) return false
  if (values[field] !== stateOf(machine, previous!)) return true
  if ((previous![field] ?? null) !== null) delete values[field]
  return false
}

function chosen(change: Change, machine: StateMachine): Transition {
  const { kind, wanted, values, previous } = change
  const open = [...machine.from(stateOf(machine, previous!)).values()]
  const asked = open.filter(({ name, to }) =>
    kind === 'transition' ? name === wanted : to === values[machine.field],
  )
  if (asked.length === 0) throw denied(change, machine, open)
  const refusals: AppError[] = []
  for (const transition of asked) {
    const refusal = refusalOf(transition, change)
    if (refusal === undefined) return transition
    refusals.push(refusal)
  }
  throw refusals[0]!
}

function denied(
  { kind, wanted, values, previous, access }: Change,
  machine: StateMachine,
  open: readonly Transition[],
): AppError {
  // Who may not read the state does not learn it by what leaves it.
  if (!access.readableIn(previous!, machine.field)) return domainErrors.TRANSITION_DENIED()
  const state = stateOf(machine, previous!)
  const goal =
    kind === 'transition'
      ? `the transition '${wanted}'`
      : `a transition to '${String(values[machine.field])}'`
  const names = open.map(({ name }) => name)
  const available = names.length === 0 ? 'none leaves it' : `available are ${names.join(', ')}`
  return domainErrors.TRANSITION_DENIED({
    message: `A record in state '${state}' has no ${goal.replace(/^(the|a) /, '')}: ${available}`,
    data: { state, available: names },
  })
}

/** Required fields hold something afterwards, be it from before. */
function assertComplete({ name, requiredFields }: Transition, change: Change): void {
  const { values, previous } = change
  const missing = requiredFields.filter((field) =>
    isEmpty(values[field] === undefined ? previous![field] : values[field]),
  )
  if (missing.length === 0) return
  throw domainErrors.REQUIRED_FIELD({
    message: `The transition '${name}' needs ${missing.join(', ')}`,
    ...faultDetail(
      change,
      missing.map((field) => ({ ...finding('required.transition', { transition: name }), field })),
    ),
  })
}

const isEmpty = (value: Value | undefined): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
