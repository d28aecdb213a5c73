import { isCleanText } from '@svc/kernel'
import type { Value } from '@svc/store/contract'
import type { FieldDefinition } from '../definition/schema/field.ts'
import { lengthRules, type Lengths } from './check/bounds.ts'
import { sentenceOf } from '../speech/sentence.ts'
import { type BareKey, finding } from '../speech/sentences.ts'
import { patternRules } from './check/pattern.ts'
import { refusal, rule, type Rule, notAmong } from './check/rule.ts'
import { FieldTypeError, together } from './field-type-error.ts'
import type { FieldContext, FieldType, Schema } from './field-type.ts'
import { type Scalar, scalarType } from './scalar-type.ts'

/** The form that texts of a type have. */
export interface Format {
  /** Says what a text of another form should be. */
  readonly sentence: BareKey
  matches(text: string): boolean
}

/** What one type of text has for itself. */
export interface TextOptions extends Pick<
  Scalar<string>,
  'name' | 'aliases' | 'attributes' | 'searchable' | 'make'
> {
  readonly format?: Format
  /** Its share of the OpenAPI schema besides `type: string` and the field's own bounds. */
  readonly openapi?: Schema
}

const NO_TEXT = refusal('type.text')

/** A field type whose values are text that is kept as it was written. */
export function textType({ format, openapi, ...options }: TextOptions): FieldType {
  return scalarType<string>({
    ...options,
    column: 'text',
    uses: ['minLength', 'maxLength', 'pattern', 'enum'],
    operators: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'like', 'in', 'null'],
    read: format === undefined ? readText : formatReader(format),
    rules: (definition, { allowed }) => textRules(definition, allowed, format),
    // A path may hold what no body and no query may; no store has such a text.
    parseText: (text) => (isCleanText(text) ? text : undefined),
    openapi: (definition, context) => ({
      ...textSchema(definition, context),
      ...pattern(definition, openapi),
    }),
  })
}

/** What `minLength`, `maxLength`, `pattern` and `enum` ask. */
export function textRules(
  definition: FieldDefinition & Lengths,
  allowed: readonly string[] | undefined,
  format?: Format,
): readonly Rule<string>[] {
  return together([
    () => lengthRules(definition),
    () => patternRules(definition.pattern),
    () => enumRules(allowed, format),
  ]).flat()
}

/** The field's own bounds in OpenAPI. */
export function textSchema(
  { minLength, maxLength }: Lengths,
  { allowed }: Pick<FieldContext, 'allowed'>,
): Schema {
  return {
    type: 'string',
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(allowed && { enum: allowed }),
  }
}

const pattern = (definition: FieldDefinition, openapi: Schema = {}): Schema =>
  definition.pattern === undefined ? openapi : { ...openapi, pattern: definition.pattern }

const readText = (value: Value) => (typeof value === 'string' ? value : NO_TEXT)

function formatReader({ sentence, matches }: Format) {
  const malformed = refusal(sentence)
  return (value: Value) => {
    if (typeof value !== 'string') return NO_TEXT
    return matches(value) ? value : malformed
  }
}

function enumRules(
  allowed: readonly string[] | undefined,
  format: Format | undefined,
): readonly Rule<string>[] {
  if (allowed === undefined) return []
  const misfit = format && allowed.find((value) => !format.matches(value))
  if (format && misfit !== undefined)
    throw new FieldTypeError(
      'enum',
      `the value '${misfit}' does not fit: ${sentenceOf(finding(format.sentence))}`,
    )
  const known = amongRules.get(allowed) ?? amongRule(allowed)
  amongRules.set(allowed, known)
  return [known]
}

/** One for all fields that hold values of the same list. */
const amongRules = new WeakMap<readonly string[], Rule<string>>()

function amongRule(allowed: readonly string[]): Rule<string> {
  const values = new Set(allowed)
  return rule(notAmong(allowed), (text) => values.has(text))
}
