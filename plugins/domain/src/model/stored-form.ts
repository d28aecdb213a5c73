import type { Value } from '@svc/store/contract'
import type { Field } from './field.ts'

/** A value of a definition in the form in which the field keeps it; as it is where it does not fit. */
export function storedForm({ compiled }: Field, value: Value): Value {
  const checked = value === null ? undefined : compiled.check(value)
  return checked !== undefined && 'value' in checked ? checked.value : value
}
