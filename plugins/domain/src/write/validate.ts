import type { AppError, Warning } from '@svc/kernel'
import type { Remark, ValueFault } from '../fields/field-type.ts'
import type { Field } from '../model/field.ts'
import { finding } from '../speech/sentences.ts'
import type { Fault } from '../speech/speech.ts'
import type { Change } from './change.ts'
import { invalid } from './refuse.ts'

/** Checks every value that was sent against its field, and brings it into stored form. */
export function checkValues(change: Change): void {
  const { values, resource } = change
  for (const name in values) checkValue(change, resource.fields.get(name)!)
}

function checkValue(change: Change, field: Field): void {
  const { values, faults } = change
  const value = values[field.name]!
  if (value === null) {
    if (field.required || field.primaryKey) faults.push({ ...finding('required.null'), field: field.name })
    return
  }
  const checked = field.compiled.check(value)
  if (field.primaryKey && typeof value === 'string' && Array.from(value).length > MAX_KEY)
    faults.push(keyTooLong(field))
  if ('value' in checked) {
    values[field.name] = checked.value
    for (const remark of checked.remarks ?? []) change.warn(warningOf(remark, field))
    return
  }
  for (const fault of checked.faults) faults.push(placed(fault, field))
}

const warningOf = ({ rule, message, path }: Remark, { name }: Field): Warning => ({
  rule,
  message: `'${path === undefined ? name : `${name}.${path}`}' ${message}`,
  severity: 'warning',
  regulation: null,
})

/** The faults of each field that are the same for every value. */
const lasting = new WeakMap<Field, WeakMap<ValueFault, Fault>>()

function placed(fault: ValueFault, field: Field): Fault {
  const placedHere = lasting.get(field)
  const known = placedHere?.get(fault)
  if (known !== undefined) return known
  const made = placeIn(field, fault)
  if (!Object.isFrozen(fault)) return made
  lasting.set(field, (placedHere ?? new WeakMap<ValueFault, Fault>()).set(fault, made))
  return Object.freeze(made)
}

/** Member by member: many a body is refused, and what copies all of them but one is slow. */
const placeIn = ({ name }: Field, { path, rule, sentence, message, params }: ValueFault): Fault => ({
  field: path === undefined ? name : `${name}.${path}`,
  rule,
  sentence,
  message,
  params,
})

/** The most characters of a key: it stands whole in indexes, those of others that refer to it too. */
const MAX_KEY = 255

const keyTooLong = ({ name }: Field) => ({ ...finding('maxLength.key', { limit: MAX_KEY }), field: name })

/** What a write is refused with where any step before found a fault: it tells all of them together. */
export const refusalOf = (change: Change): AppError | undefined =>
  change.faults.length > 0 ? invalid(change, change.faults) : undefined

/** Ends the write where any step before found a fault. */
export function refuseFaults(change: Change): void {
  const refusal = refusalOf(change)
  if (refusal !== undefined) throw refusal
}
