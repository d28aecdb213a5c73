import { describe, expect, it } from 'vitest'
import { OFFSET_BOUNDS, readDuration } from './duration.ts'

const read = (written: string, bounds?: Parameters<typeof readDuration>[1]) => readDuration(written, bounds)

describe('durations', () => {
  it.each([
    ['1s', 1000],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['48h', 172_800_000],
    ['30d', 2_592_000_000],
    ['2w', 1_209_600_000],
    ['5000ms', 5000],
    ['3650d', 315_360_000_000],
    ['10y', 315_360_000_000],
  ])('8.2, A2: %s is a duration', (written, ms) => {
    expect(read(written)).toMatchObject({ written, ms })
  })

  it.each(['1mo', '6mo', '1y'])('8.2: %s is one, and as long as its calendar says', (written) => {
    expect(read(written)).toHaveProperty('unit')
  })

  it.each([
    ['30x', 'is no duration'],
    ['30', 'is no duration'],
    ['', 'is no duration'],
    ['1.5h', 'is no duration'],
    ['1d12h', 'is no duration'],
    [' 1d', 'is no duration'],
    ['1D', 'is no duration'],
    ['-5m', 'is not above zero'],
    ['0s', 'is not above zero'],
    ['999ms', 'is out of bounds'],
    ['3651d', 'is out of bounds'],
    ['999999999d', 'is out of bounds'],
    [`${'9'.repeat(15)}y`, 'is out of bounds'],
    [`${'9'.repeat(400)}d`, 'is no duration'],
  ])('8.2, A2: %s is none, and a hint says what would be', (written, message) => {
    const fault = read(written)
    expect(fault).toMatchObject({ message: expect.stringContaining(message), hint: expect.any(String) })
  })

  it.each([
    ['every 90 dyas', 'Did you mean 90d?'],
    ['90 days', 'Did you mean 90d?'],
    ['90 dyas', 'Did you mean 90d?'],
    ['1 hour', 'Did you mean 1h?'],
    ['30 min', 'Did you mean 30m?'],
    ['2 months', 'Did you mean 2mo?'],
    ['10D', 'Did you mean 10d?'],
    ['30', 'such as 48h: 30d, say'],
  ])('8.2: %s: the hint is what was meant', (written, hint) => {
    expect(read(written)).toMatchObject({ hint: expect.stringContaining(hint) })
  })

  it.each(['0d', '-30d', '-12h', '5d'])('A2: an offset may be %s', (written) => {
    expect(read(written, OFFSET_BOUNDS)).toHaveProperty('ms')
  })

  it.each(['-3651d', '-999ms', '- 3d'])('A2: an offset may not be %s', (written) => {
    expect(read(written, OFFSET_BOUNDS)).toHaveProperty('message')
  })
})
