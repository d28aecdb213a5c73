import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, it } from 'vitest'
import { FieldTypeError } from '../field-type-error.ts'
import { compilePattern } from './pattern.ts'

describe('a pattern', () => {
  it.each([
    ['b', 'abc', true],
    ['^b', 'abc', false],
    ['^[A-Z]{2}-[0-9]{4}$', 'AB-1234', true],
    ['^[A-Z]{2}-[0-9]{4}$', 'AB-12345', false],
    ['^(foo|bar)+$', 'foobar', true],
    ['^.$', '😀', true],
    ['^\\u00e9$', 'é', true],
    ['^\\p{Lu}\\p{Ll}+$', 'Über', true],
    ['^a/b\\/c$', 'a/b/c', true],
    ['^[\\w.-]+$', 'a.b-c', true],
    ['^a$', 'a\n', false],
    ['(?i)abc', 'xABCx', true],
    ['', 'anything', true],
  ])('%s on %j is %s', (pattern, text, expected) => expect(compilePattern(pattern)(text)).toBe(expected))

  it.each([
    '[',
    '(',
    'a**',
    '(?=a)',
    '(?<!a)b',
    '(a)\\1',
    'a{5000}',
    '((a{900}){900}){900}',
    'x'.repeat(1001),
  ])('%s is refused with a reason', (pattern) =>
    expect(() => compilePattern(pattern)).toThrow(FieldTypeError),
  )

  // Each of these keeps a backtracking engine busy for longer than a test may last.
  it.each(['(a+)+$', '(a|aa)+$', '^(a*)*$', 'a*a*a*a*a*b', '(a|a|b)*c', '^a*a*a*a*a*c$'])(
    '%s takes no time that grows out of bounds',
    (pattern) => expect(compilePattern(pattern)(`${'a'.repeat(20_000)}!`)).toBe(false),
  )

  it('means the same on either engine', () => {
    const atom = fc.constantFrom('a', 'b', '-', '\\d', '\\w', '\\.', '[a-c]', '[^b]', '[\\w-]', '😀', ' ')
    const count = fc.constantFrom('', '', '{2}', '+', '*', '?', '{1,2}')
    const pattern = fc
      .array(
        fc.tuple(atom, count).map((parts) => parts.join('')),
        { maxLength: 5 },
      )
      .map((parts) => `^${parts.join('')}$`)
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', 'c', '-', '.', '1', '😀', ' ', '\n'),
      maxLength: 8,
    })
    const alike = fc.property(
      pattern,
      text,
      (source, one) => compilePattern(source)(one) === RE2JS.compile(source).test(one),
    )
    expect(fc.check(alike).counterexample).toBeNull()
  })
})
