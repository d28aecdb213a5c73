import type { Resource } from '@svc/domain/contract'
import { type Codec, openValue, type Row, sealValue, type Value } from '@svc/store/contract'

/** A value of a field as a ledger may keep it: sealed where the field's column seals its values. */
export const sealField = (name: string, value: Value, resource: Resource): Value =>
  sealValue({ codec: codecOf(name, resource) }, value)

/** What `sealField` made of a value of a field that is there still. */
export const openField = (name: string, kept: Value, resource: Resource): Value =>
  openValue({ name, codec: codecOf(name, resource) }, kept)

/** The same for values by the names of their fields. */
export const sealFields = (values: Row, resource: Resource): Row => each(values, resource, sealField)
export const openFields = (kept: Row, resource: Resource): Row => each(kept, resource, openField)

/** Whether values of a field are sealed. */
export const isSealed = (name: string, resource: Resource): boolean => codecOf(name, resource) !== undefined

/** What is worked out on every read may be made of what is sealed, and is kept as that is. */
function codecOf(name: string, { fields, columns }: Resource): Codec | undefined {
  const field = fields.get(name)
  if (field === undefined) return undefined
  if (field.column !== undefined) return field.column.codec
  return columns.find(({ codec }) => codec !== undefined)?.codec
}

const each = (values: Row, resource: Resource, one: typeof sealField): Row =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]): readonly [string, Value] => [
      name,
      one(name, value, resource),
    ]),
  )
