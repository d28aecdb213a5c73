import type { FieldDefinition } from '../definition/schema/field.ts'
import type { Structured } from './check/members.ts'
import { ASKED_FOR_NULL, type AttributeSchema, type FieldContext, type FieldType } from './field-type.ts'

/** What one type of structured value has for itself. */
export interface JsonOptions {
  readonly name: string
  readonly attributes?: Readonly<Record<string, AttributeSchema>>
  compile(definition: FieldDefinition, context: FieldContext): Structured
}

/** A field type of structured values: a filter can only ask whether there is one, and nothing sorts by it. */
export const jsonType = ({ name, attributes = {}, compile }: JsonOptions): FieldType =>
  Object.freeze({
    name,
    aliases: [],
    column: 'json',
    attributes,
    ...ASKED_FOR_NULL,
    compile: (definition: FieldDefinition, context: FieldContext) => ({
      ...compile(definition, context),
      parseText: () => undefined,
    }),
  } satisfies FieldType)
