import type { FieldDefinition } from '../definition/schema/field.ts'
import { LIST_ATTRIBUTES, listCheck, listSchema, readListSize } from './check/list.ts'
import { both } from './field-type-error.ts'
import type { AttributeSchema, Check, FieldContext, FieldType, Schema } from './field-type.ts'
import { jsonType } from './json-type.ts'

/** What one type of list has for itself. */
export interface ListOptions {
  readonly name: string
  readonly attributes: Readonly<Record<string, AttributeSchema>>
  /** Refuses an item that equals one before it. */
  readonly distinct?: boolean
  item(
    definition: FieldDefinition,
    context: FieldContext,
  ): { readonly check: Check; readonly openapi: Schema }
}

/** A field type of lists, bounded by `minItems` and `maxItems`. */
export const listType = ({ name, attributes, distinct = false, item }: ListOptions): FieldType =>
  jsonType({
    name,
    attributes: { ...LIST_ATTRIBUTES, ...attributes },
    compile(definition, context) {
      const [{ check, openapi }, size] = both(
        () => item(definition, context),
        () => readListSize(definition),
      )
      return {
        check: listCheck(check, size, distinct),
        openapi: { ...listSchema(size, openapi), ...(distinct && { uniqueItems: true }) },
      }
    },
  })
