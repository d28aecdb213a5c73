import type { Row, Value } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { ComputedField } from '../model/field.ts'

/** Works out the formulas of a record for one caller, from what that caller may read alone. */
export function workOut(record: Row, access: Access): Row {
  if (access.formulas.length === 0) return record
  const known: Record<string, Value> = {}
  for (const name of Object.keys(record)) if (access.readableIn(record, name)) known[name] = record[name]!
  for (const field of access.formulas)
    if (access.readableIn(record, field.name)) known[field.name] = valueOf(field, known, access)
  return known
}

/** Works out every formula of a record, stored ones too, from all of it: for the service's own decisions. */
export function workOutAll(record: Row, access: Access): Readonly<Record<string, Value>> {
  const { computed } = access.resource
  if (computed.length === 0) return record
  const known: Record<string, Value> = { ...record }
  for (const field of computed) known[field.name] = valueOf(field, known, access)
  return known
}

/** The value of one formula; null where it does not fit the field's type. */
function valueOf({ computed, compiled }: ComputedField, record: Row, { caller, now }: Access): Value {
  const value = computed.expression.evaluate({ record, user: caller, now })
  if (value === null) return null
  const checked = compiled.check(value)
  return 'value' in checked ? checked.value : null
}
