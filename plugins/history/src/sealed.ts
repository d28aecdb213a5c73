import { codecOf, type Model, type Resource } from '@svc/domain/contract'
import { type Codec, openValue, type Row, sealValue, type Value } from '@svc/store/contract'

/** A value of a field as a ledger may keep it: sealed where the field's column seals its values. */
export const sealField = (name: string, value: Value, resource: Resource, model?: Model): Value =>
  sealValue({ codec: fieldCodecOf(name, resource, model) }, value)

/** What `sealField` made of a value; null where its field seals nothing any more. */
export const openField = (name: string, kept: Value, resource: Resource, model?: Model): Value =>
  openValue({ codec: fieldCodecOf(name, resource, model) }, kept)

/** The same for values by the names of their fields. */
export const sealFields = (values: Row, resource: Resource): Row => each(values, resource, sealField)
export const openFields = (kept: Row, resource: Resource): Row => each(kept, resource, openField)

/** Whether values of a field are sealed. */
export const isSealed = (name: string, resource: Resource, model?: Model): boolean =>
  fieldCodecOf(name, resource, model) !== undefined

/** What is worked out on every read may be made of anything that its domain seals, and is kept as that is. */
function fieldCodecOf(name: string, { fields }: Resource, model?: Model): Codec | undefined {
  const field = fields.get(name)
  if (field === undefined) return undefined
  if (field.column !== undefined) return field.column.codec
  return model && codecOf(model)
}

type One = (name: string, value: Value, resource: Resource) => Value

const each = (values: Row, resource: Resource, one: One): Row =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]): readonly [string, Value] => [
      name,
      one(name, value, resource),
    ]),
  )
