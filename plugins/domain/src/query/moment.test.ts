import { describe, expect, it } from 'vitest'
import { momentIn } from './moment.ts'

describe('a moment in a query', () => {
  it.each([
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01T14:00:00+02:00', '2026-03-01T12:00:00.000Z'],
    ['2026-03-01T14:00:00 02:00', '2026-03-01T12:00:00.000Z'],
  ])('%s is %s', (given, moment) => expect(momentIn('after', given)).toBe(moment))

  it.each(['2026-02-30', '2026-02-31T23:00:00Z', '2026-13-01', '0000-01-01', 'yesterday', ''])(
    '%s is INVALID_QUERY',
    (given) => expect(() => momentIn('after', given)).toThrow(/^'after' must be a date and time/),
  )
})
