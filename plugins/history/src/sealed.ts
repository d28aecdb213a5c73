import type { Model, Resource } from '@svc/domain/contract'
import { type Codec, openValue, type Row, sealValue, type Value } from '@svc/store/contract'

/** A value of a field as a ledger may keep it: sealed where the field's column seals its values. */
export const sealField = (name: string, value: Value, resource: Resource, model?: Model): Value =>
  sealValue({ codec: codecOf(name, resource, model) }, value)

/** What `sealField` made of a value of a field that is there still. */
export const openField = (name: string, kept: Value, resource: Resource, model?: Model): Value =>
  openValue({ name, codec: codecOf(name, resource, model) }, kept)

/** The same for values by the names of their fields. */
export const sealFields = (values: Row, resource: Resource): Row => each(values, resource, sealField)
export const openFields = (kept: Row, resource: Resource): Row => each(kept, resource, openField)

/** Whether values of a field are sealed. */
export const isSealed = (name: string, resource: Resource, model?: Model): boolean =>
  codecOf(name, resource, model) !== undefined

/** What is worked out on every read may be made of anything that its domain seals, and is kept as that is. */
function codecOf(name: string, { fields }: Resource, model?: Model): Codec | undefined {
  const field = fields.get(name)
  if (field === undefined) return undefined
  if (field.column !== undefined) return field.column.codec
  return model && anyCodecOf(model)
}

const codecs = new WeakMap<Model, { readonly codec: Codec | undefined }>()

function anyCodecOf(model: Model): Codec | undefined {
  const known = codecs.get(model)
  if (known !== undefined) return known.codec
  const columns = [...model.resources.values()].flatMap((resource) => resource.columns)
  const codec = columns.find((column) => column.codec !== undefined)?.codec
  codecs.set(model, { codec })
  return codec
}

type One = (name: string, value: Value, resource: Resource) => Value

const each = (values: Row, resource: Resource, one: One): Row =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]): readonly [string, Value] => [
      name,
      one(name, value, resource),
    ]),
  )
