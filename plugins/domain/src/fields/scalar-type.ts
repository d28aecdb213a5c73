import type { ColumnKind, Value } from '@svc/store/contract'
import type { FieldDefinition } from '../definition/schema/field.ts'
import { applyRules, type Rule } from './check/rule.ts'
import type {
  AttributeSchema,
  Bound,
  FieldContext,
  FieldType,
  Operator,
  ParseText,
  Refused,
  Schema,
} from './field-type.ts'

/** What a bare value of one kind is told by: text, a number, a boolean. */
export interface Scalar<T extends string | number | boolean> {
  readonly name: string
  readonly aliases?: readonly string[]
  readonly column: ColumnKind
  readonly attributes?: Readonly<Record<string, AttributeSchema>>
  readonly uses: readonly Bound[]
  readonly operators: readonly Operator[]
  readonly sortable?: boolean
  readonly searchable?: boolean
  readonly readable?: boolean
  readonly generated?: boolean
  readonly make?: (random: (size: number) => Uint8Array) => Value
  /** The value in stored form, or why it is none of this type. */
  read(value: Value): T | Refused
  /** What the field's attributes ask of a value in stored form. */
  rules(definition: FieldDefinition, context: FieldContext): readonly Rule<T>[]
  readonly parseText: ParseText
  /** As of compiled types. */
  scale?(definition: FieldDefinition): number | undefined
  openapi(definition: FieldDefinition, context: FieldContext): Schema
}

/** A field type of bare values. */
export function scalarType<T extends string | number | boolean>(scalar: Scalar<T>): FieldType {
  const { read, parseText, make } = scalar
  return Object.freeze({
    name: scalar.name,
    aliases: scalar.aliases ?? [],
    column: scalar.column,
    attributes: scalar.attributes ?? {},
    uses: scalar.uses,
    operators: scalar.operators,
    sortable: scalar.sortable ?? true,
    searchable: scalar.searchable ?? false,
    readable: scalar.readable ?? true,
    generated: scalar.generated ?? false,
    compile(definition: FieldDefinition, context: FieldContext) {
      const rules = scalar.rules(definition, context)
      const scale = scalar.scale?.(definition)
      return {
        check(value: Value) {
          const stored = read(value)
          return typeof stored === 'object' ? stored : applyRules(stored, rules)
        },
        parseText,
        openapi: scalar.openapi(definition, context),
        ...(scale !== undefined && { scale }),
      }
    },
    ...(make && { make }),
  })
}
