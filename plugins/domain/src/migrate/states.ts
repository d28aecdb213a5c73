import type { Field } from '../model/field.ts'
import type { Resource } from '../model/resource.ts'
import type { StateMachine } from '../model/state-machine.ts'
import type { Convert } from './convert.ts'

/** The states that a field holds. */
export const statesIn = ({ name }: Field, { stateMachine }: Resource): StateMachine | undefined =>
  stateMachine?.field === name ? stateMachine : undefined

/** Why a stored value might be no state, or none any more. */
export function stateDoubts(
  before: StateMachine | undefined,
  now: StateMachine | undefined,
): readonly string[] {
  if (now === undefined) return []
  if (before === undefined) return ['is limited to states']
  const gone = [...before.states.keys()].filter((state) => !now.states.has(state))
  return gone.length === 0 ? [] : [`loses ${gone.map((state) => `'${state}'`).join(', ')}`]
}

const asTheyAre: Convert = (values) => values.map((value) => ({ value, fits: true }))

/** Reads values, and moves what is in no declared state to the initial one: it could never leave where it is. */
export const keepStates =
  ({ initial, states }: StateMachine, read = asTheyAre): Convert =>
  async (values, reader) =>
    (await read(values, reader)).map((one) =>
      one.fits && states.has(String(one.value)) ? one : { value: initial, fits: false },
    )
