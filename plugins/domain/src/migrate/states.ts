import type { Resource } from '../model/resource.ts'
import type { Field } from '../model/field.ts'
import type { Convert } from './convert.ts'
import type { Pair } from './pairs.ts'

/** Why a stored state might be none any more. */
export function stateDoubts(name: string, { from, to }: Pair<Resource>): readonly string[] {
  const machine = to.stateMachine
  if (machine?.field !== name) return []
  const before = from.stateMachine
  if (before === undefined) return [`is limited to states: others become '${machine.initial}'`]
  const gone = [...before.states.keys()].filter((state) => !machine.states.has(state))
  if (gone.length === 0) return []
  return [`loses ${gone.map((state) => `'${state}'`).join(', ')}: records there become '${machine.initial}'`]
}

/** The state of records whose own does not fit, where a field holds states. */
export const initialIn = ({ name }: Field, { stateMachine }: Resource): string | undefined =>
  stateMachine?.field === name ? stateMachine.initial : undefined

/** Puts a value in the place of each that does not fit. */
export const insteadOf =
  (value: string, convert: Convert): Convert =>
  async (values, reader) =>
    (await convert(values, reader)).map((one) => (one.fits ? one : { value, fits: false }))

/** Moves what is in no declared state to the initial one. */
export function keepStates({ stateMachine }: Resource): Convert {
  return (values) =>
    values.map((value) => {
      const isGone = typeof value === 'string' && stateMachine?.states.has(value) === false
      return { value: isGone ? stateMachine.initial : value, fits: !isGone }
    })
}
