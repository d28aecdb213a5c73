import { describe, expect, it } from 'vitest'
import { textsOfPattern } from './text-of-pattern.ts'

const matching = (pattern: string) =>
  textsOfPattern(pattern).filter((text) => new RegExp(pattern, 'u').test(text))

describe('texts of a pattern', () => {
  it.each([
    ['^[A-Z]{3}-[0-9]{4}$', 'ABC-0123'],
    ['^(draft|live)$', 'draft'],
    ['^\\d{3}\\.\\w+@x$', '012.a@x'],
    ['^[^a-z]$', 'A'],
    ['^a?b*c+$', 'c'],
    ['^(?:x(?<y>[12]))+$', 'x1'],
    ['ü', 'ü'],
  ])('%s begin with the shortest: %s', (pattern, text) => {
    expect(matching(pattern)[0]).toBe(text)
  })

  it('grow where the pattern lets them, for fields that ask for a length', () => {
    expect(matching('^[a-z]+$').some((text) => text.length >= 30)).toBe(true)
    expect(matching('^[a-z]{2,4}$').map((text) => text.length)).toEqual([2, 3, 4])
  })

  it('are none where it cannot be read, and harmless where it says more than is understood', () => {
    expect(textsOfPattern('^(')).toEqual([])
    expect(textsOfPattern('(?i)^abc$').length).toBeLessThan(10)
    expect(textsOfPattern('^\\p{Lu}{2}$').length).toBeLessThan(10)
  })

  it('are bounded, however often the pattern repeats', () => {
    for (const pattern of ['^(((a{1000}){1000}){1000})$', '^((((((a+)+)+)+)+)+)$'])
      expect(Math.max(0, ...textsOfPattern(pattern).map((text) => text.length))).toBeLessThan(100_000)
  })
})
