import { describe, expect, it } from 'vitest'
import { compile } from './fields.testkit.ts'

describe('the text of a filter', () => {
  it.each([
    ['string', ['', 'a%'], []],
    ['email', ['part'], []],
    ['boolean', ['true', 'false'], ['TRUE', '1', '', 'yes']],
    ['uuid', ['0192b5a4-7c1e-7def-8abc-0123456789ab'], ['', '7', 'x']],
    ['json', [], ['{}', '']],
    ['password', [], ['longenough']],
    ['date', ['2026-01-01'], ['2026-02-30', '', 'today']],
  ])('is read as %s', (type, readable, unreadable) => {
    const { parseText } = compile(type)
    for (const text of readable) expect(String(parseText(text))).toBe(text)
    for (const text of unreadable) expect(parseText(text)).toBeUndefined()
  })

  it('is read into the form that is stored', () => {
    expect(compile('datetime').parseText('2026-03-01T09:30:00+02:00')).toBe('2026-03-01T07:30:00.000Z')
    expect(compile('time').parseText('09:30')).toBe('09:30:00')
    expect(compile('uuid').parseText('0192B5A4-7C1E-7DEF-8ABC-0123456789AB')).toBe(
      '0192b5a4-7c1e-7def-8abc-0123456789ab',
    )
    expect(compile('integer').parseText('-5')).toBe(-5)
    expect(compile('decimal').parseText('1.5e3')).toBe(1500)
  })

  it.each(['', ' 5', '+5', '05', '0x10', '5px', '1_000', 'Infinity', 'NaN', '1e999', '.5'])(
    '%j is no number',
    (text) => {
      expect([compile('integer').parseText(text), compile('decimal').parseText(text)]).toEqual([
        undefined,
        undefined,
      ])
    },
  )

  it('is no integer with a fraction or past 2^53-1', () => {
    expect(['1.5', '9007199254740993'].map(compile('integer').parseText)).toEqual([undefined, undefined])
  })
})
