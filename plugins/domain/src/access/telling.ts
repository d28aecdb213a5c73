import type { ComputedField, Field } from '../model/field.ts'
import type { Resource } from '../model/resource.ts'

/**
 * Stored formulas that were worked out from something that the caller may not read in every record: what is stored of
 * them would tell of it. Such a caller gets them worked out anew, as if they were not stored.
 */
export function tellingFormulas(
  { computed, fields }: Resource,
  open: ReadonlyMap<string, Field>,
  isShutAcross: (field: ComputedField) => boolean,
): ReadonlySet<Field> {
  const telling = new Set<Field>()
  const isShut = (name: string) => {
    const field = fields.get(name)
    return field !== undefined && (!open.has(name) || telling.has(field))
  }
  for (const field of computed)
    if (field.computed.stored && ([...readsOf(field, fields)].some(isShut) || isShutAcross(field)))
      telling.add(field)
  return telling
}

/** What a formula reads, by itself and by way of formulas that are not stored. */
function readsOf({ computed }: Field, fields: ReadonlyMap<string, Field>): ReadonlySet<string> {
  const names = new Set(computed?.expression.fields)
  // A set that grows goes on over what is added to it.
  for (const name of names) {
    const inner = fields.get(name)?.computed
    if (inner?.stored === false) for (const one of inner.expression.fields) names.add(one)
  }
  return names
}
