import { RE2JS, RE2JSException } from 're2js'
import { finding } from '../../speech/sentences.ts'
import { FieldTypeError } from '../field-type-error.ts'
import { rule, type Rule } from './rule.ts'

/** The longest pattern that a definition may hold: what a match costs grows with the pattern's length. */
const MAX_LENGTH = 1000

/** `pattern`: matches anywhere in the text unless it is anchored, in time linear in the text. */
export function patternRules(pattern: string | undefined): readonly Rule<string>[] {
  if (pattern === undefined) return []
  return [rule(finding('pattern', { pattern }), compilePattern(pattern))]
}

/** Compiles a pattern once. Throws FieldTypeError for one that cannot be matched in linear time. */
export function compilePattern(pattern: string): (text: string) => boolean {
  if (pattern.length > MAX_LENGTH)
    throw new FieldTypeError('pattern', `the pattern is longer than ${MAX_LENGTH} characters`)
  return isSimple(pattern) ? native(pattern) : linear(pattern)
}

function native(pattern: string): (text: string) => boolean {
  const expression = new RegExp(pattern, 'u')
  return (text) => expression.test(text)
}

function linear(pattern: string): (text: string) => boolean {
  const expression = translated(pattern)
  return (text) => expression.test(text)
}

function translated(pattern: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern))
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    throw new FieldTypeError(
      'pattern',
      `the pattern cannot be used: ${error.message.replace(/^error parsing regexp: /, '')}`,
      'Write it in the syntax of RE2, which has no look-ahead, look-behind or back-reference',
    )
  }
}

const CHARACTER = String.raw`[\w \-@/:,#%&=!~'"<>;]`
const ESCAPE = String.raw`\\[dwDW.+*?^$()[\]{}|\\/]`
const CLASS = String.raw`\[\^?(?:[A-Za-z0-9]-[A-Za-z0-9]|[\w @/:,#%&=!~'"<>;.+*?$()]|\\[dw.+*?^$()[\]{}|\\/-])+-?\]`
const ATOM = `(?:${CHARACTER}|${ESCAPE}|${CLASS})`
const FIXED = String.raw`(?:${ATOM}(?:\{\d{1,2}\})?)*`
const REPEATED = String.raw`(?:${ATOM}(?:[+*?]|\{\d{1,2},\d{0,2}\}))?`
const SIMPLE = new RegExp(`^\\^${FIXED}${REPEATED}${FIXED}\\$?$`)

/**
 * Whether the built-in engine matches the pattern in linear time for sure: anchored at the start, no groups
 * and no alternatives, and at most one repetition of open length, so that there is one way to walk the text.
 * Both engines read such a pattern alike.
 */
const isSimple = (pattern: string): boolean => SIMPLE.test(pattern) && isReadable(pattern)

function isReadable(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}
