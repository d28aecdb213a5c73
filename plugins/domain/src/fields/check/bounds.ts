import type { Value } from '@svc/store/contract'
import type { FieldDefinition } from '../../definition/schema/field.ts'
import { FieldTypeError } from '../field-type-error.ts'
import { sentenceOf } from '../../speech/sentence.ts'
import { type BareKey, finding } from '../../speech/sentences.ts'
import { rule, type Rule } from './rule.ts'

export interface Lengths {
  readonly minLength?: number | undefined
  readonly maxLength?: number | undefined
}

/** `minLength` and `maxLength`, in Unicode code points. */
export function lengthRules({ minLength, maxLength }: Lengths): readonly Rule<string>[] {
  if (minLength !== undefined && maxLength !== undefined && maxLength < minLength)
    throw new FieldTypeError('maxLength', `maxLength ${maxLength} is below minLength ${minLength}`)
  const rules: Rule<string>[] = []
  if (minLength) {
    rules.push(
      rule(finding(minLength === 1 ? 'minLength.one' : 'minLength', { limit: minLength }), (text) =>
        isAtLeast(text, minLength),
      ),
    )
  }
  if (maxLength !== undefined) {
    rules.push(
      rule(
        finding(maxLength === 1 ? 'maxLength.one' : 'maxLength', { limit: maxLength }),
        (text) => !isAtLeast(text, maxLength + 1),
      ),
    )
  }
  return rules
}

/** A code point takes one or two units of a string, so most lengths are decided without counting. */
function isAtLeast(text: string, codePoints: number): boolean {
  if (text.length < codePoints) return false
  if (text.length >= codePoints * 2) return true
  let count = 0
  for (const _ of text) count++
  return count >= codePoints
}

/** `min` and `max`; `read` brings a bound into the stored form that values are compared in. */
export function rangeRules<T extends string | number>(
  { min, max }: Pick<FieldDefinition, 'min' | 'max'>,
  read: (bound: Value) => T | undefined,
  wanted: BareKey,
): readonly Rule<T>[] {
  const [least, most] = [bound('min', min, read, wanted), bound('max', max, read, wanted)]
  if (least !== undefined && most !== undefined && least > most)
    throw new FieldTypeError('min', `min ${least} is above max ${most}`)
  const rules: Rule<T>[] = []
  if (least !== undefined) rules.push(rule(finding('min', { limit: least }), (value) => value >= least))
  if (most !== undefined) rules.push(rule(finding('max', { limit: most }), (value) => value <= most))
  return rules
}

function bound<T>(
  attribute: 'min' | 'max',
  written: string | number | undefined,
  read: (bound: Value) => T | undefined,
  wanted: BareKey,
): T | undefined {
  if (written === undefined) return undefined
  const value = read(written)
  if (value === undefined) throw new FieldTypeError(attribute, `${attribute} ${sentenceOf(finding(wanted))}`)
  return value
}
