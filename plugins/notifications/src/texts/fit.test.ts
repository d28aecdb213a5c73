import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitBody, fitSubject } from './fit.ts'

describe('a subject', () => {
  it('of 255 characters stays, and one more is cut', () => {
    expect(fitSubject('é'.repeat(255))).toBe('é'.repeat(255))
    expect(fitSubject('é'.repeat(256))).toBe(`${'é'.repeat(254)}…`)
    expect(fitSubject('🚲'.repeat(255))).toBe('🚲'.repeat(255))
    expect(fitSubject('🚲'.repeat(256))).toBe(`${'🚲'.repeat(254)}…`)
  })

  it('is one line of well-formed characters, whatever it is made of', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
        const subject = fitSubject(text)
        expect(subject).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
        expect(subject.isWellFormed()).toBe(true)
        expect(Array.from(subject).length).toBeLessThanOrEqual(255)
      }),
    )
  })
})

describe('a body', () => {
  it('of 64 KiB stays, and one more byte is cut between characters', () => {
    expect(fitBody('a'.repeat(65_536))).toBe('a'.repeat(65_536))
    const cut = fitBody(`${'a'.repeat(65_530)}🚲🚲`)
    expect(cut).toBe(`${'a'.repeat(65_530)}…`)
    expect(new TextEncoder().encode(fitBody('🚲'.repeat(20_000))).length).toBeLessThanOrEqual(65_536)
  })
})
