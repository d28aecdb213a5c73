import { describe, expect, it } from 'vitest'
import { nearest } from './index.ts'

const KEYS = ['logging', 'rest', 'name', 'labels', 'id', 'toString']

describe('nearest', () => {
  it.each([
    ['loging', 'logging'],
    ['Logging', 'logging'],
    ['naem', 'name'],
    ['label', 'labels'],
    ['lables', 'labels'],
    ['tostring', 'toString'],
  ])('takes %s for %s', (written, meant) => {
    expect(nearest(written, KEYS)).toBe(meant)
  })

  it('prefers what takes the fewest edits, and the first of equals', () => {
    expect(nearest('rost', ['roast', 'rest', 'most'])).toBe('roast')
    expect(nearest('labelz', ['labels', 'label'])).toBe('labels')
    expect(nearest('labels', ['label', 'labels'])).toBe('labels')
  })

  it('looks no further than it is told', () => {
    expect(nearest('joiner', ['owner'])).toBe('owner')
    expect(nearest('joiner', ['owner'], 1)).toBeUndefined()
    expect(nearest('onwer', ['owner'], 1)).toBe('owner')
  })

  it.each(['x', 'colour', 'ix', ''])('takes %j for nothing', (written) => {
    expect(nearest(written, ['rest', 'name'])).toBeUndefined()
  })
})
