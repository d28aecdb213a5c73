import { describe, expect, it } from 'vitest'
import { shared } from './shared.ts'

describe('what copies share', () => {
  it('is made by the first that asks, and is the same to all', () => {
    const first = shared('test.first', () => new Map([['by', 'one']]))
    const second = shared('test.first', () => new Map([['by', 'another']]))
    expect(second).toBe(first)
    expect(second.get('by')).toBe('one')
  })

  it('goes by its name', () => {
    expect(shared('test.one', () => ({}))).not.toBe(shared('test.other', () => ({})))
  })

  it('is the same to another copy of the module', async () => {
    const other: { readonly shared: typeof shared } = await import(`${'./shared.ts'}?another`)
    expect(other.shared).not.toBe(shared)
    expect(other.shared('test.copies', () => ({}))).toBe(shared('test.copies', () => ({})))
  })
})
