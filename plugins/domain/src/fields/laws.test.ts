import { isDeepStrictEqual } from 'node:util'
import type { Value } from '@svc/store/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from './fields.testkit.ts'
import { FIELD_TYPES } from './index.ts'

/** Texts of every kind that a type reads, among others. */
const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') })
    .map((date) => date.toISOString()),
  fc
    .date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') })
    .map((date) => date.toISOString().slice(0, 10)),
  fc.date({ noInvalidDate: true, min: new Date(0) }).map((date) => date.toISOString().slice(11, 23)),
  fc.uuid().map((uuid) => uuid.toUpperCase()),
  fc.emailAddress(),
  fc.webUrl(),
)
const bareValue = fc.oneof(anyText, fc.double(), fc.integer(), fc.maxSafeInteger(), fc.boolean())
const structured = fc.json().map((text): Value => JSON.parse(text))
const anyValue = fc.oneof(bareValue, fc.array(bareValue), structured).filter((value) => value !== null)
const isNested = (value: Value) => typeof value === 'object'

describe.each(FIELD_TYPES)('whatever a $name gets', ({ name, operators }) => {
  const { check, parseText } = compile(name)

  it('is refused for a reason, or has a stored form that is its own', () => {
    const law = fc.property(anyValue, (value) => {
      const once = check(value)
      return 'faults' in once ? once.faults.length > 0 : isDeepStrictEqual(check(once.value), once)
    })
    expect(fc.check(law).counterexample).toBeNull()
  })

  it('is read from the text of a filter as it is stored, or not at all', () => {
    const law = fc.property(bareValue, (value) => {
      const checked = check(value)
      if ('faults' in checked || isNested(checked.value)) return true
      return parseText(String(checked.value)) === (operators.includes('eq') ? checked.value : undefined)
    })
    expect(fc.check(law).counterexample).toBeNull()
  })
})
