import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from './fields.testkit.ts'
import { slugify } from './slug.ts'

describe('slugify', () => {
  it.each([
    ['Hello, World!', 'hello-world'],
    ['  Über uns: Straße & Øl  ', 'uber-uns-strasse-ol'],
    ["It's 5 o’clock", 'its-5-oclock'],
    ['你好 世界', '你好-世界'],
    ['Łódź', 'lodz'],
    ['İstanbul', 'istanbul'],
    ['--a--b--', 'a-b'],
    ['!!!', ''],
    ['', ''],
    ['x'.repeat(300), 'x'.repeat(200)],
  ])('makes %j into %j', (text, expected) => {
    expect(slugify(text)).toBe(expected)
  })

  it('makes nothing that a slug would refuse', () => {
    const { check } = compile('slug')
    const isSlug = (text: string) => 'value' in check(text)
    const law = fc.property(
      fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => slugify(text)),
      (made) => made === '' || isSlug(made),
    )
    expect(fc.check(law).counterexample).toBeNull()
  })
})
