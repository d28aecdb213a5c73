import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addDuration, addOffset, dayAt, instantAt, isTimeZone, startOfDay, timeAt } from './calendar.ts'
import { type Duration, OFFSET_BOUNDS, readDuration } from './duration.ts'
import { Temporal } from './temporal.ts'

const duration = (written: string): Duration => {
  const read = readDuration(written, OFFSET_BOUNDS)
  if (!('ms' in read)) throw new Error(read.message)
  return read
}
const moved = (from: string, offset: string, zone: string): string =>
  new Date(addOffset(Date.parse(from), duration(offset), zone)).toISOString()

describe('offsets by a calendar', () => {
  it.each([
    // The clocks of London go forward on 29 March 2026 at 01:00, and back on 25 October at 02:00.
    ['2026-03-28T09:00:00.000Z', '1d', 'Europe/London', '2026-03-29T08:00:00.000Z'],
    ['2026-03-28T09:00:00.000Z', '24h', 'Europe/London', '2026-03-29T09:00:00.000Z'],
    ['2026-03-30T08:00:00.000Z', '-1w', 'Europe/London', '2026-03-23T09:00:00.000Z'],
    ['2026-03-28T01:30:00.000Z', '1d', 'Europe/London', '2026-03-29T01:00:00.000Z'],
    ['2026-10-24T00:30:00.000Z', '1d', 'Europe/London', '2026-10-25T00:30:00.000Z'],
    ['2026-01-31T12:00:00.000Z', '1mo', 'UTC', '2026-02-28T12:00:00.000Z'],
    ['2024-02-29T12:00:00.000Z', '1y', 'UTC', '2025-02-28T12:00:00.000Z'],
    ['2026-03-31T12:00:00.000Z', '-1mo', 'UTC', '2026-02-28T12:00:00.000Z'],
    ['2026-12-31T23:30:00.000Z', '1d', 'Pacific/Auckland', '2027-01-01T23:30:00.000Z'],
    ['2026-10-25T01:30:00.000Z', '0d', 'Europe/London', '2026-10-25T01:30:00.000Z'],
  ])('A2: %s and %s in %s is %s', (from, offset, zone, to) => {
    expect(moved(from, offset, zone)).toBe(to)
  })

  it('A2: a duration of days is so many times 24 hours; months and years are of the calendar', () => {
    const from = Date.parse('2026-01-31T00:00:00Z')
    expect(addDuration(from, duration('2d')) - from).toBe(172_800_000)
    expect(new Date(addDuration(from, duration('1mo'))).toISOString()).toBe('2026-02-28T00:00:00.000Z')
  })

  it('S3: a time that the clocks skip is the first instant after the gap, in every zone', () => {
    const zones = [
      'Europe/London',
      'America/New_York',
      'Australia/Lord_Howe',
      'America/Santiago',
      'Asia/Kolkata',
    ]
    const wall = fc.record({
      zone: fc.constantFrom(...zones),
      minutes: fc.integer({ min: 0, max: 2 * 365 * 1440 }),
    })
    fc.assert(
      fc.property(wall, ({ zone, minutes }) => {
        const asked = Temporal.PlainDateTime.from('2026-01-01T00:00').add({ minutes })
        const found = Temporal.Instant.fromEpochMilliseconds(instantAt(asked, zone)).toZonedDateTimeISO(zone)
        const shown = found.toPlainDateTime()
        if (shown.equals(asked)) {
          // The first of two: an hour and a half before, the clocks do not show it.
          const before = found.subtract({ minutes: 60 }).toPlainDateTime()
          expect(before.equals(asked)).toBe(false)
          return
        }
        const justBefore = found.subtract({ nanoseconds: 1 }).toPlainDateTime()
        expect(Temporal.PlainDateTime.compare(justBefore, asked)).toBe(-1)
        expect(Temporal.PlainDateTime.compare(shown, asked)).toBe(1)
      }),
    )
  })

  it('knows the day, its beginning, and the time in a zone', () => {
    const instant = Date.parse('2026-06-30T23:30:00Z')
    expect([dayAt(instant, 'Europe/London'), timeAt(instant, 'Europe/London')]).toEqual([
      '2026-07-01',
      '00:30:00',
    ])
    // Clocks in Santiago skip midnight of 6 September 2026.
    expect(new Date(startOfDay('2026-09-06', 'America/Santiago')).toISOString()).toBe(
      '2026-09-06T04:00:00.000Z',
    )
  })

  it.each([
    ['Europe/London', true],
    ['UTC', true],
    ['Europe/Nowhere', false],
    ['+01:00', false],
    ['', false],
  ])('%s is a zone: %s', (zone, is) => {
    expect(isTimeZone(zone)).toBe(is)
  })
})
