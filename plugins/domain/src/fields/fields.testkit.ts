import { describe, expect, it } from 'vitest'
import type { Value } from '@svc/store/contract'
import type { FieldDefinition } from '../definition/schema/field.ts'
import type { Checked, CompiledType, FieldContext } from './field-type.ts'
import { createFieldTypes } from './index.ts'

/** The engine's own types. */
export const types = createFieldTypes()
const enums = new Map([
  [
    'Size',
    {
      values: new Map([
        ['S', {}],
        ['M', {}],
      ]),
    },
  ],
])

/** A field outside any resource; the enumeration `Size` is declared. */
export function compile(
  written: string | FieldDefinition,
  { allowed, blocks = new Map() }: Partial<Pick<FieldContext, 'allowed' | 'blocks'>> = {},
): CompiledType {
  const definition: FieldDefinition = typeof written === 'string' ? { type: written } : written
  const inline = Array.isArray(definition.enum) ? definition.enum : undefined
  const type = types.find(definition.type ?? '')!
  return types.compile(type, definition, { allowed: allowed ?? inline, blocks, enums })
}

/** The stored form, or the rules that are broken, each with the path that leads to it. */
export const outcome = (checked: Checked) =>
  'value' in checked
    ? { stored: checked.value }
    : { broken: checked.faults.map(({ rule, path }) => (path === undefined ? rule : `${path}: ${rule}`)) }

/** What a field makes of values. */
export interface Case {
  readonly field: string | FieldDefinition
  /** Values that are stored as they are. */
  readonly kept?: readonly Value[]
  /** Values that are stored in another form. */
  readonly changed?: readonly (readonly [Value, Value])[]
  /** Values that are refused, by the rules that they break. */
  readonly refused?: Readonly<Record<string, readonly Value[]>>
}

/** Tests each field against its values. */
export function describeFields(cases: readonly Case[]): void {
  const named = cases.map(
    (one) => [typeof one.field === 'string' ? one.field : JSON.stringify(one.field), one] as const,
  )
  describe.each(named)('a field of %s', (_, { field, kept = [], changed = [], refused = {} }) => {
    const { check } = compile(field)

    it('takes what fits it, in stored form', () => {
      for (const value of kept) expect([value, outcome(check(value))]).toEqual([value, { stored: value }])
      for (const [value, stored] of changed)
        expect([value, outcome(check(value))]).toEqual([value, { stored }])
    })

    it('refuses the rest, by rule', () => {
      for (const [rules, values] of Object.entries(refused)) {
        for (const value of values)
          expect([value, outcome(check(value))]).toEqual([value, { broken: rules.split(',') }])
      }
    })
  })
}
