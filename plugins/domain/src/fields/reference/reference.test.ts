import { describe, expect, it } from 'vitest'
import { COUNTRIES } from './countries.ts'

describe('the reference tables', () => {
  it('hold every country of ISO 3166-1, and no region that it does not assign', () => {
    expect(COUNTRIES.size).toBe(249)
    for (const code of ['AX', 'BQ', 'CW', 'SS', 'SX', 'TL', 'TW', 'UM', 'ZW'])
      expect(COUNTRIES).toContain(code)
    for (const code of ['AN', 'EU', 'UK', 'UN', 'XK', 'YU', 'ZZ']) expect(COUNTRIES).not.toContain(code)
  })

  it('name each country that the runtime knows by its code', () => {
    const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
    const unknown = [...COUNTRIES].filter((code) => regions.of(code) === undefined)
    expect(unknown).toEqual([])
  })
})
