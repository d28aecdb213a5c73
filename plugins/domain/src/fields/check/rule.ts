import type { Value } from '@svc/store/contract'
import { type BareKey, finding } from '../../speech/sentences.ts'
import type { Accepted, Checked, Refused, Remark, ValueFault } from '../field-type.ts'

/** Something that must hold of a value in stored form. Its fault is the same for every value. */
export interface Rule<T extends Value> {
  readonly fault: ValueFault
  holds(value: T): boolean
}

/** A rule whose fault is said by a sentence. */
export const rule = <T extends Value>(fault: ValueFault, holds: (value: T) => boolean): Rule<T> => ({
  fault: Object.freeze(fault),
  holds,
})

/** A refusal that is made once and answered many times. */
export const refusal = (key: BareKey): Refused =>
  Object.freeze({ faults: Object.freeze([Object.freeze(finding(key))]) })

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

/** The faults of a part, or what is remarked of it, with the path that leads to it. */
export const faultsAt = <T extends ValueFault | Remark>(path: string, found: readonly T[]): readonly T[] =>
  found.map((one) => ({ ...one, path: one.path === undefined ? path : `${path}.${one.path}` }))

/** A value that is made of parts, with what was remarked of these. */
export const accepted = (value: Value, remarks: readonly Remark[]): Accepted =>
  remarks.length === 0 ? { value } : { value, remarks }

/** So many values are named in a message. */
const MOST_LISTED = 20

/** What is wrong with a value that is none of those that are allowed. */
export function notAmong(allowed: readonly string[]): ValueFault {
  const more = allowed.length - MOST_LISTED
  return more > 0
    ? finding('enum.more', { values: allowed.slice(0, MOST_LISTED), more })
    : finding('enum', { values: allowed })
}
