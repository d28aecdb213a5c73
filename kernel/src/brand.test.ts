import { describe, expect, it } from 'vitest'
import { brand } from './brand.ts'

/** Each call makes the class anew, as each copy of this package does. */
function copyOf(name: string) {
  class Thing {}
  brand(Thing, name)
  return Thing
}

describe('a branded class', () => {
  const [Own, Other] = [copyOf('Thing'), copyOf('Thing')]

  it('knows the objects of its copies', () => {
    expect(new Own() instanceof Own).toBe(true)
    expect(new Other() instanceof Own).toBe(true)
  })

  it('knows nothing else', () => {
    const Foreign = copyOf('Foreign')
    for (const value of [new Foreign(), {}, null, undefined, 'Thing', () => 0])
      expect(value instanceof Own).toBe(false)
  })

  it('is no brand of the classes that extend it', () => {
    class Special extends Own {}
    expect(new Special() instanceof Special).toBe(true)
    expect(new Special() instanceof Other).toBe(true)
    expect(new Own() instanceof Special).toBe(false)
  })
})
