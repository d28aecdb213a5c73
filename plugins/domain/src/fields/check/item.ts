import type { FieldDefinition } from '../../definition/schema/field.ts'
import { readAttribute } from '../attribute.ts'
import { within } from '../field-type-error.ts'
import type { AttributeSchema, FieldContext } from '../field-type.ts'
import { checkJson } from './json.ts'
import { InnerField, type Structured } from './members.ts'

/** `items`: the type of a list's items, or a field for them. */
export const ITEM_ATTRIBUTES: Readonly<Record<string, AttributeSchema>> = {
  items: (field) => field.describe('What the items are; any JSON values unless said.'),
}

/** The check of one item; without `items` it takes any JSON value. */
export function compileItem(definition: FieldDefinition, context: FieldContext): Structured {
  const written = readAttribute(definition, 'items', InnerField)
  if (written === undefined) return { check: checkJson, openapi: {} }
  return within(['items'], () => context.compile(written))
}
