import { describe, expect, it } from 'vitest'
import { RecurrenceFault } from './fault.ts'
import { readRecurrence } from './recurrence.ts'

const SINCE = Date.parse('2026-01-10T12:00:00Z')

/** The next occurrences, as texts. */
function after(
  text: string,
  from: string,
  { count = 3, zone = 'UTC', since = SINCE } = {},
): readonly string[] {
  const recurrence = readRecurrence(text)
  const found: string[] = []
  for (let at = Date.parse(from); found.length < count;) {
    const next = recurrence.next(at, zone, since)
    if (next === undefined) break
    found.push(new Date(next).toISOString().replace(':00.000Z', 'Z').replace('.000Z', 'Z'))
    at = next
  }
  return found
}

const faultOf = (text: string): RecurrenceFault => {
  try {
    readRecurrence(text)
  } catch (error) {
    if (error instanceof RecurrenceFault) return error
    throw error
  }
  throw new Error(`'${text}' was read`)
}

describe('what is read', () => {
  it.each([
    ['every 90 days', 'every 90 days at 00:00'],
    ['EVERY   minute', 'every minute'],
    ['every 1 hours', 'every hour'],
    ['every 2 weeks at 8:05 starting 2026-01-05', 'every 2 weeks at 08:05 starting 2026-01-05'],
    ['Daily At 06:00', 'daily at 06:00'],
    ['daily at 06:00:07', 'daily at 06:00:07'],
    ['weekdays', 'weekdays at 00:00'],
    ['weekly on fri, MON and wednesday at 08:00', 'weekly on Monday, Wednesday and Friday at 08:00'],
    ['monthly on 1st at 02:00', 'monthly on 1st at 02:00'],
    ['monthly on 1st, last day, second tue', 'monthly on 1st, last day and second Tuesday at 00:00'],
    ['yearly on feb 29', 'yearly on February 29 at 00:00'],
    ['hourly', 'hourly at :00'],
    ['Hourly at :15', 'hourly at :15'],
    ['0  8 * * mon-fri', '0 8 * * MON-FRI'],
    ['@Daily', '@daily'],
  ])('%s is %s', (written, printed) => expect(readRecurrence(written).text).toBe(printed))

  it.each([
    ['every 90 dyas', 9, 'Did you mean days?'],
    ['evry 90 days', 0, 'Did you mean every?'],
    ['every 0 seconds', 6, 'Write every second'],
    ['every 999999999 years', 6, undefined],
    ['daily at 25:00', 9, 'Write it as 08:30 or 08:30:15'],
    ['daily at 24:00', 9, 'Write it as 08:30 or 08:30:15'],
    ['daily at noon', 9, 'Write it as 08:30 or 08:30:15'],
    ['daily att 08:00', 6, 'Did you mean at?'],
    ['weekly on Mnoday', 10, 'Did you mean monday?'],
    ['weekly at 08:00', 7, 'Write weekly on Monday'],
    ['monthly on 32nd', 11, undefined],
    ['monthly on 1th', 11, 'Did you mean 1st?'],
    ['monthly on 5', 11, 'Write it as 1st, 2nd, 3rd or 15th'],
    ['monthly on fifth Monday', 11, undefined],
    ['yearly on April 31', 16, undefined],
    ['yearly on February 30', 19, undefined],
    ['every 2 days starting 2026-02-30', 22, 'Write it as 2026-01-31'],
    ['0 0 30 2 *', 0, 'Look for a day that its months do not have'],
    ['0 0 ? * *', 4, 'It may have numbers, names, and * , - / L W #'],
    ['* * * *', 0, 'It has five fields (minute, hour, day, month, weekday), or six with seconds first'],
    ['@fortnightly', 0, 'Known are @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly'],
    ['', 0, undefined],
  ])('%s is refused at %i', (written, position, hint) => {
    const fault = faultOf(written)
    expect(fault.position).toBe(position)
    if (hint !== undefined) expect(fault.hint).toBe(hint)
  })
})

describe('when it occurs', () => {
  it('counts seconds, minutes and hours from 1970', () => {
    expect(after('every 90 minutes', '2026-03-01T00:10:00Z')).toEqual([
      '2026-03-01T01:30Z',
      '2026-03-01T03:00Z',
      '2026-03-01T04:30Z',
    ])
    expect(after('every 30 seconds', '2026-03-01T00:00:00.001Z', { count: 2 })).toEqual([
      '2026-03-01T00:00:30Z',
      '2026-03-01T00:01Z',
    ])
  })

  it('counts days and more from the day of the first submit, which is none of them', () => {
    expect(after('every 90 days at 08:00', '2026-01-10T00:00:00Z')).toEqual([
      '2026-04-10T08:00Z',
      '2026-07-09T08:00Z',
      '2026-10-07T08:00Z',
    ])
    expect(after('every day', '2020-01-01T00:00:00Z', { count: 1 })).toEqual(['2026-01-11T00:00Z'])
  })

  it('begins on a starting day', () => {
    expect(after('every 2 weeks at 08:00 starting 2026-03-02', '2020-01-01T00:00:00Z', { count: 2 })).toEqual(
      ['2026-03-02T08:00Z', '2026-03-16T08:00Z'],
    )
  })

  it('counts months and years from the starting day, and shorter months have the day on their last one', () => {
    expect(after('every month starting 2026-01-31', '2026-01-01T00:00:00Z', { count: 4 })).toEqual([
      '2026-01-31T00:00Z',
      '2026-02-28T00:00Z',
      '2026-03-31T00:00Z',
      '2026-04-30T00:00Z',
    ])
    expect(after('every 4 years starting 2024-02-29', '2025-01-01T00:00:00Z', { count: 1 })).toEqual([
      '2028-02-29T00:00Z',
    ])
    expect(after('every year starting 2024-02-29', '2025-01-01T00:00:00Z', { count: 1 })).toEqual([
      '2025-02-28T00:00Z',
    ])
  })

  it('29 February falls on the 28th in other years, and month ends and the end of a year are met', () => {
    expect(after('yearly on February 29 at 09:00', '2026-12-31T23:59:59Z')).toEqual([
      '2027-02-28T09:00Z',
      '2028-02-29T09:00Z',
      '2029-02-28T09:00Z',
    ])
    expect(after('monthly on 31st', '2026-01-31T00:00:00Z')).toEqual([
      '2026-02-28T00:00Z',
      '2026-03-31T00:00Z',
      '2026-04-30T00:00Z',
    ])
    expect(after('monthly on 30th, 31st', '2026-02-01T00:00:00Z', { count: 2 })).toEqual([
      '2026-02-28T00:00Z',
      '2026-03-30T00:00Z',
    ])
    expect(after('monthly on last day at 23:59', '2026-12-31T23:59:00Z', { count: 1 })).toEqual([
      '2027-01-31T23:59Z',
    ])
  })

  it('knows the marks of cron', () => {
    expect(after('0 8 L * *', '2026-02-01T00:00:00Z', { count: 2 })).toEqual([
      '2026-02-28T08:00Z',
      '2026-03-31T08:00Z',
    ])
    expect(after('0 8 15W * *', '2026-02-01T00:00:00Z', { count: 2 })).toEqual([
      '2026-02-16T08:00Z',
      '2026-03-16T08:00Z',
    ])
    expect(after('0 8 * * FRI#2', '2026-02-01T00:00:00Z', { count: 2 })).toEqual([
      '2026-02-13T08:00Z',
      '2026-03-13T08:00Z',
    ])
    expect(after('0 8 1 * MON', '2026-02-01T12:00:00Z', { count: 2 })).toEqual([
      '2026-02-02T08:00Z',
      '2026-02-09T08:00Z',
    ])
    expect(after('*/20 * * * * *', '2026-02-01T00:00:00Z', { count: 2 })).toEqual([
      '2026-02-01T00:00:20Z',
      '2026-02-01T00:00:40Z',
    ])
    expect(after('@weekly', '2026-02-02T00:00:00Z', { count: 1 })).toEqual(['2026-02-08T00:00Z'])
  })
})

describe('where clocks change', () => {
  const zone = 'Europe/London'
  const GAP = '2026-03-29T00:00:00Z'
  const FOLD = '2026-10-25T00:00:00Z'

  it.each(['daily at 01:30', '30 1 * * *', 'weekly on Sunday at 01:30', '0 15,30 1 * * *'])(
    'a time that is skipped falls on the first instant after the gap: %s',
    (text) => expect(after(text, GAP, { zone, count: 1 })).toEqual(['2026-03-29T01:00Z']),
  )

  it.each(['daily at 01:30', '30 1 * * *'])('one that comes twice counts the first time: %s', (text) =>
    expect(after(text, FOLD, { zone, count: 2 })).toEqual(['2026-10-25T00:30Z', '2026-10-26T01:30Z']),
  )

  it('times that fall on one instant are one occurrence', () =>
    expect(after('0,30 1,2 * * *', GAP, { zone })).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-29T01:30Z',
      '2026-03-30T00:00Z',
    ]))

  it.each(['every 30 minutes', '*/30 * * * *', '0,30 * * * *', '*/30 0-3 * * *'])(
    '%s runs on through both',
    (text) => {
      expect(after(text, '2026-03-29T00:30:00Z', { zone, count: 2 })).toEqual([
        '2026-03-29T01:00Z',
        '2026-03-29T01:30Z',
      ])
      expect(after(text, FOLD, { zone })).toEqual([
        '2026-10-25T00:30Z',
        '2026-10-25T01:00Z',
        '2026-10-25T01:30Z',
      ])
    },
  )

  it('hourly runs on through both', () => {
    expect(after('hourly at :15', GAP, { zone, count: 2 })).toEqual([
      '2026-03-29T00:15Z',
      '2026-03-29T01:15Z',
    ])
    expect(after('hourly at :15', FOLD, { zone, count: 2 })).toEqual([
      '2026-10-25T00:15Z',
      '2026-10-25T01:15Z',
    ])
  })

  it('what goes by the hands of the clock leaves out what they skip', () => {
    expect(after('*/30 1 * * *', GAP, { zone, count: 1 })).toEqual(['2026-03-30T00:00Z'])
    expect(after('*/30 1 * * *', FOLD, { zone, count: 4 })).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-25T01:00Z',
      '2026-10-25T01:30Z',
      '2026-10-26T01:00Z',
    ])
  })

  it('a day that begins in a gap begins after it', () =>
    expect(after('daily', '2026-09-05T12:00:00Z', { zone: 'America/Santiago', count: 1 })).toEqual([
      '2026-09-06T04:00Z',
    ]))

  it('a gap may begin at any minute, and what falls into it occurs as it ends', () =>
    expect(after('daily at 00:02', '2020-10-03T15:14:00Z', { zone: 'Antarctica/Casey', count: 2 })).toEqual([
      '2020-10-03T16:01Z',
      '2020-10-04T13:02Z',
    ]))

  it('a day that a zone leaves out occurs as the next begins', () =>
    expect(after('daily at 08:00', '2011-12-29T18:00:00Z', { zone: 'Pacific/Apia', count: 2 })).toEqual([
      '2011-12-30T10:00Z',
      '2011-12-30T18:00Z',
    ]))

  it('what only ever falls into a gap and goes by the hands never occurs there', () =>
    expect(readRecurrence('*/30 2 * 3 7#2').next(SINCE, 'America/New_York', SINCE)).toBeUndefined())
})
