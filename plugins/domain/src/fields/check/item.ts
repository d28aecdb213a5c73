import type { FieldDefinition } from '../../definition/schema/field.ts'
import type { Path } from '../../definition/problem.ts'
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
  // What stands beside `items` is told where it stands.
  const own: FieldDefinition = typeof written === 'string' ? { type: written } : written
  const isBeside = ([name = '']: Path) => own[name] === undefined && definition[name] !== undefined
  return within(
    (path) => (isBeside(path) ? [] : ['items']),
    () => context.compile(written, definition),
  )
}
