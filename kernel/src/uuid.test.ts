import { describe, expect, it } from 'vitest'
import { createUuidV7, type Environment, systemEnvironment } from './index.ts'

const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const at = (...times: number[]): Environment => ({
  ...systemEnvironment,
  now: () => (times.length > 1 ? times.shift()! : times[0]!),
})
const many = (next: () => string, count: number) => Array.from({ length: count }, next)

describe('createUuidV7', () => {
  it('writes version 7 and the variant of RFC 9562, with the time in front', () => {
    const id = createUuidV7(at(0x0123456789ab))()
    expect(id).toMatch(V7)
    expect(id.startsWith('01234567-89ab-7')).toBe(true)
  })

  it('ascends within one millisecond, past the room of the counter too', () => {
    const ids = many(createUuidV7(at(1_000)), 20_000)
    expect(ids).toEqual(ids.toSorted())
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.every((id) => V7.test(id))).toBe(true)
  })

  it('ascends when the clock steps back', () => {
    const ids = many(createUuidV7(at(5_000, 5_001, 4_000, 4_001, 5_001, 5_002)), 6)
    expect(ids).toEqual(ids.toSorted())
  })

  it('keeps the bits of a clock with fractions of a millisecond whole', () => {
    expect(createUuidV7(at(1_000.75))()).toMatch(V7)
  })

  it('never gives one random part twice', () => {
    const ids = many(createUuidV7(systemEnvironment), 5_000)
    expect(new Set(ids.map((id) => id.slice(19))).size).toBe(ids.length)
  })
})
