import type { FieldDefinition } from '../definition/schema/field.ts'
import { LIST_ATTRIBUTES, listCheck, listSchema, readListSize } from './check/list.ts'
import { both } from './field-type-error.ts'
import type { Structured } from './check/members.ts'
import type { AttributeSchema, CompiledType, FieldContext, FieldType } from './field-type.ts'
import { jsonType } from './json-type.ts'

/** What one type of list has for itself. */
export interface ListOptions {
  readonly name: string
  readonly attributes: Readonly<Record<string, AttributeSchema>>
  /** Refuses an item that equals one before it. */
  readonly distinct?: boolean
  item(definition: FieldDefinition, context: FieldContext): Structured | CompiledType
}

/** A field type of lists, bounded by `minItems` and `maxItems`. */
export const listType = ({ name, attributes, distinct = false, item }: ListOptions): FieldType =>
  jsonType({
    name,
    attributes: { ...LIST_ATTRIBUTES, ...attributes },
    compile(definition, context) {
      const [made, size] = both(
        () => item(definition, context),
        () => readListSize(definition),
      )
      const { check, openapi } = made
      return {
        check: listCheck(check, size, distinct),
        openapi: { ...listSchema(size, openapi), ...(distinct && { uniqueItems: true }) },
        ...insideOf(made),
      }
    },
  })

/** Items of a type of their own are fields, of which the schema tells; others have at most something inside. */
function insideOf(item: Structured | CompiledType): Pick<CompiledType, 'members' | 'facts'> {
  if ('type' in item)
    return { members: { items: item }, facts: { items: { ...item.facts, type: item.type.name } } }
  const { facts, members } = item
  return { ...(facts && { facts }), ...(members && { members: { items: { members } } }) }
}
