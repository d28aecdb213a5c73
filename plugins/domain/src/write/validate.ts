import { errors } from '@svc/kernel'
import type { Field } from '../model/field.ts'
import type { Change } from './change.ts'

/** Checks every value that was sent against its field, and brings it into stored form. */
export function checkValues(change: Change): void {
  const { values, resource } = change
  for (const name in values) checkValue(change, resource.fields.get(name)!)
}

function checkValue({ values, faults }: Change, field: Field): void {
  const value = values[field.name]!
  if (value === null) {
    if (field.required || field.primaryKey)
      faults.push({ field: field.name, rule: 'required', message: `'${field.name}' must not be null` })
    return
  }
  const checked = field.compiled.check(value)
  if ('value' in checked) {
    values[field.name] = checked.value
    return
  }
  for (const { rule, message, path } of checked.faults) {
    faults.push({ field: path === undefined ? field.name : `${field.name}.${path}`, rule, message })
  }
}

/** Ends the write where any step before found a fault, and tells all of them together. */
export function refuseFaults({ faults }: Change): void {
  if (faults.length > 0) throw errors.VALIDATION_ERROR({ errors: faults })
}
