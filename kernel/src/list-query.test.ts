import { describe, expect, it } from 'vitest'
import { ignoredBy, offsetOf, pageOf } from './list-query.ts'
import type { Warning } from './reply.ts'

describe('the page of a list', () => {
  it.each([
    [{}, { by: 'page', page: 1, limit: 50 }, 0],
    [{ page: '3', limit: '10', offset: '5' }, { by: 'page', page: 3, limit: 10 }, 20],
    [{ offset: '7', limit: '0' }, { by: 'offset', offset: 7, limit: 1 }, 7],
    [{ offset: -5, limit: 99_999 }, { by: 'offset', offset: 0, limit: 1000 }, 0],
  ])('of %j is %j', (query, page, before) => {
    expect(pageOf(query)).toEqual(page)
    expect(offsetOf(pageOf(query))).toBe(before)
  })

  it('has limits of its own where a list says so', () => {
    expect(pageOf({}, { limit: 100, most: 500 }).limit).toBe(100)
    expect(pageOf({ limit: '900' }, { limit: 100, most: 500 }).limit).toBe(500)
  })

  it.each(['x', '', '1e3', '1.5'])('is refused where a number is %j', (limit) => {
    expect(() => pageOf({ limit })).toThrow("'limit' must be a whole number")
  })
})

describe('what a query asks for in vain', () => {
  const warnings: Warning[] = []

  it('is told, and refused in strict handling', () => {
    ignoredBy('respond-async', (warning) => warnings.push(warning))('query', 'colour')
    expect(warnings.map(({ rule, message }) => [rule, message])).toEqual([
      ['ignored', "'colour' in 'query' is not known here: it was ignored"],
    ])
    for (const prefer of ['handling=strict', 'a; handling = "strict"'])
      expect(() => ignoredBy(prefer, () => undefined)('query', 'colour')).toThrow("'colour'")
  })
})
