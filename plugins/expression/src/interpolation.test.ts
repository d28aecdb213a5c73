import { describe, expect, it } from 'vitest'
import { among, compileText, interpolate, placeholdersOf } from './interpolation.ts'

const filled = (text: string, values = {}) => interpolate(text, among(values))

describe('interpolate', () => {
  it('puts values in place of their paths; what is not there is nothing', () => {
    expect(filled('{a} of {b.c}{gone}.', { a: 1, 'b.c': ['x', null, { d: true }] })).toBe(
      '1 of x, , {"d":true}.',
    )
  })

  it.each([
    ['{{a}}', '{a}'],
    ['{{{a}}}', '{1}'],
    [String.raw`\{a}`, '{a}'],
    ['{a}}', '1}'],
    ['} {', '} {'],
    ['{}', '{}'],
    ['{ a }', '{ a }'],
    ['{0}', '{0}'],
    ['{a.}', '{a.}'],
  ])('[8.5] writes braces in %j', (text, told) => {
    expect(filled(text, { a: 1 })).toBe(told)
  })

  it('[8.5] never reads a value again', () => {
    expect(filled('{a}', { a: '{b}{{', b: 2 })).toBe('{b}{{')
    expect(filled('{a}', { a: '$&$1' })).toBe('$&$1')
  })

  it('knows no name that every object has', () => {
    expect(filled('{constructor}{toString}')).toBe('')
  })
})

it('placeholdersOf names what stands in braces', () => {
  expect(placeholdersOf('{{a}} {b} and {c.d}, {b}')).toEqual(['b', 'c.d', 'b'])
})

it('compileText reads a text once, and fills it each time as interpolate does', () => {
  const text = '{{{a}}} of {b} and {constructor} {{'
  expect(compileText(text)).toBe(compileText(text))
  for (const a of [1, 2]) expect(compileText(text)(among({ a }))).toBe(filled(text, { a }))
  for (let at = 0; at < 3000; at += 1) compileText(`{a} ${at}`)
  expect(compileText('{a} 7')(among({ a: '{b}' }))).toBe('{b} 7')
})
