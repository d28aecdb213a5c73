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
    if (field.computed.stored && (readsOf(field, fields).some(isShut) || isShutAcross(field)))
      telling.add(field)
  return telling
}

/** What a formula reads, by itself and by way of formulas that are not stored. */
const readsOf = ({ computed }: Field, fields: ReadonlyMap<string, Field>): readonly string[] =>
  [...(computed?.expression.fields ?? [])].flatMap((name) => {
    const field = fields.get(name)
    return field?.computed?.stored === false ? [name, ...readsOf(field, fields)] : [name]
  })
