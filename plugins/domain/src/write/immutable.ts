import { isDeepStrictEqual } from 'node:util'
import { errors, type FieldError } from '@svc/kernel'
import type { Change } from './change.ts'

/** Refuses a change of the key or of an immutable field; sending the value that is stored is no change. */
export function keepImmutable({ values, previous, resource }: Change): void {
  const faults: FieldError[] = []
  for (const name in values) {
    const field = resource.fields.get(name)!
    if (!field.immutable && !field.primaryKey) continue
    if (isDeepStrictEqual(values[name], previous![name])) delete values[name]
    else
      faults.push({
        field: name,
        rule: 'immutable',
        message: `'${name}' cannot change once the record exists`,
      })
  }
  if (faults.length > 0) throw errors.VALIDATION_ERROR({ errors: faults })
}
