import type { Neighbours } from '@svc/expression/contract'
import type { Row, Value } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { ComputedField, Field } from '../model/field.ts'

/**
 * Works out the formulas of a record for one caller, from what that caller may read alone: `neighbours` are what it leads
 * to by those rights. Without them formulas that reach are left out.
 */
export function workOut(record: Row, access: Access, neighbours?: Neighbours): Row {
  if (access.formulas.length === 0) return record
  const known: Record<string, Value> = {}
  for (const name of Object.keys(record)) if (access.readableIn(record, name)) known[name] = record[name]!
  for (const field of access.formulas)
    if (isAtHand(field, neighbours) && access.readableIn(record, field.name))
      known[field.name] = valueOf(field, known, access, neighbours)
  return known
}

/**
 * Works out every formula of a record, stored ones too, from all of it: for the service's own decisions. `neighbours` are
 * what it leads to, whoever may read that; without them formulas that reach are left out.
 */
export function workOutAll(
  record: Row,
  access: Access,
  neighbours?: Neighbours,
): Readonly<Record<string, Value>> {
  const { computed } = access.resource
  if (computed.length === 0) return record
  const known: Record<string, Value> = { ...record }
  for (const field of computed)
    if (isAtHand(field, neighbours)) known[field.name] = valueOf(field, known, access, neighbours)
  return known
}

/** Whether all is there that a formula is worked out from. */
const isAtHand = ({ computed }: ComputedField, neighbours: Neighbours | undefined): boolean =>
  neighbours !== undefined || computed.reach.size === 0

/** The value of one formula; null where it does not fit the field's type. */
function valueOf(
  { computed, compiled }: ComputedField,
  record: Row,
  { caller, now }: Access,
  neighbours: Neighbours | undefined,
): Value {
  return fitting(computed.expression.evaluate({ record, neighbours, user: caller, now }), compiled)
}

/** What was worked out for a field; null where it does not fit the field's type. */
export function fitting(value: Value, type: Field['compiled']): Value {
  if (value === null) return null
  const checked = type.check(value)
  return 'value' in checked ? checked.value : null
}
