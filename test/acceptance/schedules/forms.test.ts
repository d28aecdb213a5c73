import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { HOUR, MINUTE, PATIENT, shed, shedOf } from './shed.ts'

const LONDON = { timezone: 'Europe/London' }

/** How a recurrence goes on after a moment. */
type Course = readonly [says: string, schedule: object, from: string, at: readonly string[]]

const S2: readonly Course[] = [
  ['every 90 seconds', {}, '1970-01-01T00:01:30Z', ['1970-01-01T00:03:00', '1970-01-01T00:04:30']],
  ['EVERY   minute', {}, '2026-03-01T12:00:30Z', ['2026-03-01T12:01:00', '2026-03-01T12:02:00']],
  ['every 5 hours', {}, '1970-01-01T06:00:00Z', ['1970-01-01T10:00:00', '1970-01-01T15:00:00']],
  ['every 2 weeks at 08:00 starting 2026-01-05', {}, '2026-01-06T00:00:00Z', ['2026-01-19T08:00:00']],
  [
    'every 1 months starting 2026-01-31',
    {},
    '2026-02-01T00:00:00Z',
    ['2026-02-28T00:00:00', '2026-03-31T00:00:00'],
  ],
  [
    'every 1 years starting 2024-02-29',
    {},
    '2026-01-01T00:00:00Z',
    ['2026-02-28T00:00:00', '2027-02-28T00:00:00', '2028-02-29T00:00:00'],
  ],
  ['hourly', {}, '2026-03-01T12:00:00Z', ['2026-03-01T13:00:00', '2026-03-01T14:00:00']],
  ['hourly at :15', {}, '2026-03-01T12:00:00Z', ['2026-03-01T12:15:00', '2026-03-01T13:15:00']],
  ['daily at 06:00', {}, '2026-12-31T07:00:00Z', ['2027-01-01T06:00:00', '2027-01-02T06:00:00']],
  ['weekdays at 06:00', {}, '2026-03-06T07:00:00Z', ['2026-03-09T06:00:00', '2026-03-10T06:00:00']],
  [
    'weekly on mon, Wednesday and Fri at 08:00',
    {},
    '2026-03-06T09:00:00Z',
    ['2026-03-09T08:00:00', '2026-03-11T08:00:00'],
  ],
  [
    'monthly on 31st at 02:00',
    {},
    '2027-12-31T03:00:00Z',
    ['2028-01-31T02:00:00', '2028-02-29T02:00:00', '2028-03-31T02:00:00', '2028-04-30T02:00:00'],
  ],
  ['monthly on last day', {}, '2027-02-01T00:00:00Z', ['2027-02-28T00:00:00', '2027-03-31T00:00:00']],
  [
    'monthly on first Monday, last Friday at 09:00',
    {},
    '2026-03-03T00:00:00Z',
    ['2026-03-27T09:00:00', '2026-04-06T09:00:00'],
  ],
  [
    'yearly on December 31 at 23:59:59',
    {},
    '2026-12-31T23:59:58Z',
    ['2026-12-31T23:59:59', '2027-12-31T23:59:59'],
  ],
  [
    'yearly on Feb 29',
    {},
    '2026-01-01T00:00:00Z',
    ['2026-02-28T00:00:00', '2027-02-28T00:00:00', '2028-02-29T00:00:00'],
  ],
  ['0 8 * * MON-FRI', {}, '2026-03-06T09:00:00Z', ['2026-03-09T08:00:00', '2026-03-10T08:00:00']],
  ['0 0 13 * FRI', {}, '2026-03-07T00:00:00Z', ['2026-03-13T00:00:00', '2026-03-20T00:00:00']],
  ['30 0 0 L * *', {}, '2028-02-01T00:00:00Z', ['2028-02-29T00:00:30', '2028-03-31T00:00:30']],
  ['@daily', {}, '2026-03-01T12:00:00Z', ['2026-03-02T00:00:00']],
]

const S3: readonly Course[] = [
  // The clocks skip from 01:00 to 02:00 on 29 March, and show 01:00 to 02:00 twice on 25 October.
  ['daily at 01:30', LONDON, '2026-03-28T12:00:00Z', ['2026-03-29T01:00:00', '2026-03-30T00:30:00']],
  ['daily at 01:30', LONDON, '2026-10-24T12:00:00Z', ['2026-10-25T00:30:00', '2026-10-26T01:30:00']],
  [
    'every 30 minutes',
    LONDON,
    '2026-10-25T00:00:00Z',
    ['2026-10-25T00:30:00', '2026-10-25T01:00:00', '2026-10-25T01:30:00'],
  ],
  [
    '*/30 * * * *',
    LONDON,
    '2026-10-25T00:00:00Z',
    ['2026-10-25T00:30:00', '2026-10-25T01:00:00', '2026-10-25T01:30:00', '2026-10-25T02:00:00'],
  ],
  ['0 * * * *', LONDON, '2026-03-29T00:00:00Z', ['2026-03-29T01:00:00', '2026-03-29T02:00:00']],
  ['30 1 * * *', LONDON, '2026-10-24T12:00:00Z', ['2026-10-25T00:30:00', '2026-10-26T01:30:00']],
  [
    'monthly on last Sunday at 01:30',
    LONDON,
    '2026-10-01T00:00:00Z',
    ['2026-10-25T00:30:00', '2026-11-29T01:30:00'],
  ],
]

for (const store of STORES) {
  describe(`how schedules recur on ${store.name}`, () => {
    const server = useTestKernel({ store, config: PATIENT, definition: shed({}) })
    const { submit, pass, firings, request, now } = shedOf(server)
    const until = (moment: string) => pass(Date.parse(moment) - Date.parse(now()))
    const planned = async (name: string) => (await firings(name)).map(({ plannedAt }) => plannedAt)

    it.each([
      ['S2: each form occurs when it says', S2],
      ['S3: what the clocks skip or show twice', S3],
    ] as const)('%s', async (_, courses) => {
      await submit(
        Object.fromEntries(
          courses.map(([recurrence, more], at) => [`c${at}`, { recurrence, action: 'noop', ...more }]),
        ),
      )
      for (const [at, [recurrence, , from, expected]] of courses.entries()) {
        const { data } = await request('GET', `/schedules/c${at}/next?count=${expected.length}&from=${from}`)
        expect([recurrence, data.items.map((one: { at: string }) => one.at)]).toEqual([
          recurrence,
          expected.map((moment) => `${moment}.000Z`),
        ])
      }
    })

    it('S1: type follows from relativeTo, a zone from the domain where that has one, else UTC', async () => {
      await submit({
        again: { recurrence: '@daily', action: 'noop' },
        dated: { source: { resource: 'Tool' }, relativeTo: 'dueOn', action: 'noop', enabled: false },
      })
      const shown = async (name: string) => (await request('GET', `/schedules/${name}`)).data
      expect(await shown('again')).toMatchObject({ type: 'recurring', timezone: 'UTC', enabled: true })
      expect(await shown('dated')).toMatchObject({ type: 'relative', offset: '0d', enabled: false })
      const of = { again: { recurrence: '@daily', action: 'noop' } }
      await submit(of, { config: { timezone: 'Asia/Tokyo' } })
      expect(await shown('again')).toMatchObject({ timezone: 'Asia/Tokyo' })
      await submit(of, { config: { timezone: 'somewhere' } })
      expect(await shown('again')).toMatchObject({ timezone: 'UTC' })
    })

    it('S10: with catchUp all the latest 100 are made up for, in their order', async () => {
      await submit({ all: { recurrence: 'every 10 minutes', catchUp: 'all', action: 'noop' } })
      await pass(26 * HOUR)
      const made = await planned('all')
      expect(made).toHaveLength(100)
      expect(made).toEqual(made.toSorted())
      expect(made.at(-1)).toBe(
        new Date(Math.floor(Date.parse(now()) / (10 * MINUTE)) * 10 * MINUTE).toISOString(),
      )
    })

    it('S3, S10: downtime across the end of summer time makes up for each occurrence once', async () => {
      await until('2026-10-24T12:00:00Z')
      await submit({
        night: { recurrence: 'daily at 01:30', ...LONDON, catchUp: 'all', action: 'noop' },
        month: { recurrence: 'monthly on 31st at 23:00', ...LONDON, catchUp: 'all', action: 'noop' },
        year: { recurrence: 'yearly on December 31 at 23:59', ...LONDON, catchUp: 'all', action: 'noop' },
      })
      await until('2026-10-26T12:00:00Z')
      expect(await planned('night')).toEqual(['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'])
      // Nobody looks over the end of the year.
      await until('2027-03-02T12:00:00Z')
      expect(await planned('year')).toEqual(['2026-12-31T23:59:00.000Z'])
      expect(await planned('month')).toEqual([
        '2026-10-31T23:00:00.000Z',
        '2026-11-30T23:00:00.000Z',
        '2026-12-31T23:00:00.000Z',
        '2027-01-31T23:00:00.000Z',
        '2027-02-28T23:00:00.000Z',
      ])
    })

    it('S2, S6: 29 February: what is due by tiers and by years', async () => {
      await submit({
        leap: { recurrence: 'yearly on February 29 at 06:00', catchUp: 'all', action: 'noop' },
        tiers: {
          source: { resource: 'Tool', filter: "title == 'leap'" },
          relativeTo: 'dueOn',
          action: 'noop',
          tiers: [{ daysUntil: 1 }, { daysUntil: 0 }, { daysUntil: -1 }],
        },
      })
      const { data } = await request('POST', '/tools', { title: 'leap', dueOn: '2028-02-29' })
      expect((await request('GET', '/schedules/tiers/next')).data.items).toEqual([
        { at: '2028-02-28T00:00:00.000Z', recordId: data.id, tag: '1' },
        { at: '2028-02-29T00:00:00.000Z', recordId: data.id, tag: '0' },
        { at: '2028-03-01T00:00:00.000Z', recordId: data.id, tag: '-1' },
      ])
      for (const day of ['28', '29']) await until(`2028-02-${day}T12:00:00Z`)
      await until('2028-03-01T12:00:00Z')
      expect((await planned('leap')).map((at) => String(at).slice(0, 10))).toEqual(['2028-02-29'])
      expect((await firings('tiers')).map(({ tag, status }) => [tag, status])).toEqual([
        ['1', 'fired'],
        ['0', 'fired'],
        ['-1', 'fired'],
      ])
    })
  })
}
