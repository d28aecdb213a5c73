import { describe, expect, it } from 'vitest'
import { CURRENCIES } from './currencies.ts'
import { formatsOf } from './defaults.ts'
import { NUMBER_FORMATS } from './numbers.ts'

const { money } = NUMBER_FORMATS

describe('the currencies', () => {
  it('are all that are in use by ISO 4217, funds and metals among them', () => {
    expect(CURRENCIES.size).toBe(178)
    for (const code of ['EUR', 'VED', 'SLE', 'ZWG', 'XCG', 'XAD', 'CLF', 'XAU', 'XXX'])
      expect(CURRENCIES).toContain(code)
    for (const code of ['ANG', 'BGN', 'DEM', 'HRK', 'SLL', 'ZWL', 'BTC'])
      expect(CURRENCIES).not.toContain(code)
  })

  it('can each be written, though the runtime may know no sign of it', () => {
    const formats = formatsOf({ locale: 'en' })
    for (const code of CURRENCIES) {
      expect(money.inspect(code), code).toBeUndefined()
      expect(money.write(1234.5, [code], formats), code).toMatch(/1,234\.50/)
    }
  })

  it('are no others, and the one that was meant is named', () => {
    expect(money.inspect('EUT')).toBe("there is no currency 'EUT': did you mean 'EUR'?")
    expect(money.inspect('HRK')).toMatch(/^there is no currency 'HRK'/)
  })
})
