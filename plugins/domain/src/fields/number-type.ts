import type { Value } from '@svc/store/contract'
import { z } from 'zod'
import type { FieldDefinition } from '../definition/schema/field.ts'
import { readAttribute } from './attribute.ts'
import { rangeRules } from './check/bounds.ts'
import { type BareKey, finding } from '../speech/sentences.ts'
import { refusal, rule, type Rule } from './check/rule.ts'
import { together } from './field-type-error.ts'
import type { FieldType, Schema } from './field-type.ts'
import { type Scalar, scalarType } from './scalar-type.ts'

/** What one type of number has for itself. */
export interface NumberOptions extends Pick<Scalar<number>, 'name' | 'aliases' | 'generated'> {
  /** The least value that the type has at all. */
  readonly least?: number
  readonly openapi?: Schema
}

interface Kind {
  readonly column: 'integer' | 'decimal' | 'float'
  readonly sentence: BareKey
  readonly openapi: Schema
  has(value: number): boolean
}

/** A field type of whole numbers, exact to 2^53-1. */
export const integerType = (options: NumberOptions): FieldType => numberType(options, INTEGER)

/** A field type of numbers kept as doubles. */
export const floatType = (options: NumberOptions): FieldType => numberType(options, FLOAT)

/** A field type of numbers kept digit by digit; `scale` bounds the digits after the point. */
export const decimalType = (options: NumberOptions & { readonly scale?: number }): FieldType =>
  numberType(options, DECIMAL, { scale: options.scale })

const INTEGER: Kind = {
  column: 'integer',
  sentence: 'type.integer',
  openapi: { type: 'integer' },
  has: Number.isSafeInteger,
}
const FLOAT: Kind = {
  column: 'float',
  sentence: 'type.number',
  openapi: { type: 'number', format: 'double' },
  has: Number.isFinite,
}
const DECIMAL: Kind = { ...FLOAT, column: 'decimal' }

/** Digits after the decimal point. */
const Scale = z
  .int({ error: 'must be a whole number from 0 to 20' })
  .min(0)
  .max(20)
  .describe('The most digits after the decimal point.')

function numberType(options: NumberOptions, kind: Kind, decimals?: { scale: number | undefined }): FieldType {
  const wrong = refusal(kind.sentence)
  return scalarType<number>({
    name: options.name,
    ...(options.aliases && { aliases: options.aliases }),
    ...(options.generated && { generated: true }),
    ...(decimals && { attributes: { scale: Scale } }),
    column: kind.column,
    uses: ['min', 'max'],
    operators: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'null'],
    // Adding 0 turns -0, which no store keeps alike, into 0.
    read: (value) => (typeof value === 'number' && kind.has(value) ? value + 0 : wrong),
    rules: (definition) =>
      together([
        () => rangeRules(bounded(definition, options.least), readBound, 'type.number'),
        () => (decimals ? scaleRules(scaleOf(definition, decimals.scale)) : []),
      ]).flat(),
    scale: (definition) =>
      decimals ? scaleOf(definition, decimals.scale) : kind.column === 'integer' ? 0 : undefined,
    parseText(text) {
      if (!NUMBER.test(text)) return undefined
      const value = Number(text)
      return kind.has(value) ? value + 0 : undefined
    },
    openapi: (definition) => ({
      ...kind.openapi,
      ...range(bounded(definition, options.least)),
      ...options.openapi,
    }),
  })
}

/** A number as JSON writes it. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

const readBound = (bound: Value) => (typeof bound === 'number' ? bound : undefined)

type Range = Pick<FieldDefinition, 'min' | 'max'>

/** The field's own bounds, within what the type has at all. */
function bounded({ min, max }: Range, least: number | undefined): Range {
  if (least === undefined || typeof min === 'string') return { min, max }
  return { min: Math.max(min ?? least, least), max }
}

const range = ({ min, max }: Range): Schema => ({
  ...(min !== undefined && { minimum: min }),
  ...(max !== undefined && { maximum: max }),
})

const scaleOf = (definition: FieldDefinition, byDefault: number | undefined): number | undefined =>
  readAttribute(definition, 'scale', Scale) ?? byDefault

function scaleRules(scale: number | undefined): readonly Rule<number>[] {
  if (scale === undefined) return []
  const fault = scale === 0 ? finding('format.whole') : finding('format.decimals', { limit: scale })
  return [rule(fault, (value) => Number(value.toFixed(scale)) === value)]
}
