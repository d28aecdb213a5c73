import { describe, expect, it } from 'vitest'
import { capability } from './capability.ts'
import { startOrder } from './order.ts'
import type { Plugin } from './plugin.ts'

const A = capability<number>('a')
const B = capability<number>('b')
const plugin = (name: string, more: Partial<Plugin> = {}): Plugin => ({
  name,
  phase: 'domain',
  setup: () => undefined,
  ...more,
})
const names = (plugins: readonly Plugin[]) => startOrder(plugins).map(({ name }) => name)

describe('the start order', () => {
  it('follows the phases, whatever the order of the list', () => {
    const listed = [
      plugin('s', { phase: 'scripting' }),
      plugin('d'),
      plugin('st', { phase: 'store' }),
      plugin('t', { phase: 'transport' }),
    ]
    expect(names(listed)).toEqual(['t', 'st', 'd', 's'])
  })

  it('puts a provider before those who require it within a phase', () => {
    expect(names([plugin('user', { requires: { a: A } }), plugin('maker', { provides: A })])).toEqual([
      'maker',
      'user',
    ])
  })

  it('puts a provider before those who use it where it is there', () => {
    expect(names([plugin('user', { optional: { a: A } }), plugin('maker', { provides: A })])).toEqual([
      'maker',
      'user',
    ])
    expect(names([plugin('user', { optional: { a: A } })])).toEqual(['user'])
  })

  it('refuses a service that nobody provides and says what to do', () => {
    expect(() => names([plugin('user', { requires: { a: A } })])).toThrow(
      "user: requires 'a', which no loaded plugin provides. Add a plugin that provides 'a' to 'plugins'",
    )
  })

  it('refuses a service that starts later', () => {
    const later = plugin('maker', { phase: 'scripting', provides: A })
    expect(() => names([plugin('user', { requires: { a: A } }), later])).toThrow(
      /needs 'maker', which starts later/,
    )
  })

  it('refuses a circle and prints the way round', () => {
    const one = plugin('one', { requires: { b: B }, provides: A })
    const two = plugin('two', { requires: { a: A }, provides: B })
    expect(() => names([one, two])).toThrow('one -> two -> one')
  })

  it('refuses two providers of one service, and one name twice', () => {
    expect(() => names([plugin('x', { provides: A }), plugin('y', { provides: A })])).toThrow(
      "provides 'a', and so does 'x'",
    )
    expect(() => names([plugin('x'), plugin('x')])).toThrow('is listed twice')
  })
})
