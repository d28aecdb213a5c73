import type { Value } from '@svc/store/contract'
import type { Params } from '../../speech/speech.ts'
import type { Checked, Refused, ValueFault } from '../field-type.ts'

/** Something that must hold of a value in stored form. Its fault is the same for every value. */
export interface Rule<T extends Value> {
  readonly fault: ValueFault
  holds(value: T): boolean
}

/** A rule under the name that clients see. */
export const rule = <T extends Value>(
  name: string,
  message: string,
  holds: (value: T) => boolean,
  params: Params = {},
): Rule<T> => ({ fault: faultOf(name, message, params), holds })

/** A refusal that is made once and answered many times. */
export const refusal = (name: string, message: string, params: Params = {}): Refused =>
  Object.freeze({ faults: Object.freeze([faultOf(name, message, params)]) })

const faultOf = (rule: string, message: string, params: Params): ValueFault =>
  Object.freeze({ rule, message, params })

/** The value, or every rule that it breaks. */
export function applyRules<T extends Value>(value: T, rules: readonly Rule<T>[]): Checked {
  let broken: ValueFault[] | undefined
  for (const { fault, holds } of rules) {
    if (!holds(value)) (broken ??= []).push(fault)
  }
  return broken === undefined ? { value } : { faults: broken }
}

/** The most faults that one value reports: a body full of mistakes must not make a larger answer. */
export const MAX_FAULTS = 100

/** The faults of a part, with the path that leads to it. */
export const faultsAt = (path: string, faults: readonly ValueFault[]): readonly ValueFault[] =>
  faults.map((fault) => ({ ...fault, path: fault.path === undefined ? path : `${path}.${fault.path}` }))
