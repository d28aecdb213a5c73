import { describe, expect, it } from 'vitest'
import { dependencyOrder } from './dependency-order.ts'

const order = (needs: Record<string, readonly string[]>) =>
  dependencyOrder(new Map(Object.entries(needs)), (all) => all)

describe('dependencyOrder', () => {
  it('puts each key after those that it needs', () => {
    const { ordered, circles } = order({ a: ['b', 'c'], b: ['c', 'elsewhere'], c: [], d: ['a', 'a'] })
    expect(ordered).toEqual(['c', 'b', 'a', 'd'])
    expect(circles).toEqual([])
  })

  it('finds every circle once, and what depends on one', () => {
    const { ordered, unordered, circles } = order({
      a: ['b'],
      b: ['a'],
      c: ['b', 'c'],
      d: ['d'],
      e: ['a'],
      f: [],
    })
    expect(ordered).toEqual(['f'])
    expect(unordered).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(circles).toEqual([['a', 'b'], ['d']])
  })

  it('takes chains of any length', () => {
    const chain = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [`k${at}`, at < 19_999 ? [`k${at + 1}`] : []]),
    )
    expect(order(chain).ordered[0]).toBe('k19999')
  })
})
