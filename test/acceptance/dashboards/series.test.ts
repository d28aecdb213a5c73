import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const ZONES = ['Europe/London', 'Australia/Lord_Howe', 'Asia/Kathmandu']
const FUNCTIONS = ['count', 'countDistinct', 'sum', 'avg', 'min', 'max'] as const
/** Money and counts are put together of slots, numbers without a last digit are not. */
const FIELDS = ['price', 'q', 'ratio'] as const
const LAST = 12

const widgets = ZONES.flatMap((zone, at) =>
  FUNCTIONS.flatMap((fn) =>
    FIELDS.map(
      (field) =>
        `        ${fn}_${field}_${at}: { type: timeSeries, query: { source: Item, dateField: at, interval: day, last: ${LAST}, timezone: ${zone}, aggregate: ${fn}, field: ${field} } }`,
    ),
  ),
)
/** A dashboard has 50 widgets at most. */
const DEFINITION = `
domain:
  name: sums
  version: '1'
  resources:
    Item:
      object: { price: money, q: integer, ratio: float, at: datetime }
      permissions: { list: ['*'], create: ['*'] }
  dashboards:
${ZONES.map(
  (_, at) =>
    `    d${at}:\n      permissions: ['*']\n      widgets:\n${widgets.filter((one) => one.includes(`_${at}:`)).join('\n')}`,
).join('\n')}
`

/** Clocks change on Lord Howe, by half an hour, on 5 April, and in London on 29 March. */
const NOW = Date.parse('2026-04-06T10:20:00Z')
const ITEMS = fc.sample(
  fc.array(
    fc.record({
      price: fc.option(
        fc.integer({ min: -99_999, max: 99_999 }).map((cents) => cents / 100),
        { freq: 6 },
      ),
      q: fc.option(fc.integer({ min: -9, max: 9 }), { freq: 6 }),
      ratio: fc.integer({ min: -64, max: 64 }).map((eighths) => eighths / 8),
      at: fc.integer({ min: 0, max: 9 * 86_400_000 }).map((ms) => new Date(NOW - ms).toISOString()),
    }),
    { minLength: 140, maxLength: 140 },
  ),
  { numRuns: 1, seed: 30 },
)[0]!

function plain(fn: (typeof FUNCTIONS)[number], values: readonly number[]): unknown {
  const cents = values.reduce((sum, one) => sum + Math.round(one * 1000), 0)
  switch (fn) {
    case 'count':
      return values.length
    case 'countDistinct':
      return new Set(values).size
    case 'sum':
      return cents / 1000
    case 'avg':
      return values.length === 0 ? null : expect.closeTo(cents / 1000 / values.length, 6)
    default:
      return values.length === 0 ? null : Math[fn](...values)
  }
}

const answers: string[] = []

for (const store of STORES) {
  describe(`series of figures on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })

    it('D3 F9 every aggregate by day equals a plain evaluation, in zones whose days no hour in UTC begins', async () => {
      const { request, clock } = server()
      clock.advance(NOW - clock.now())
      for (let at = 0; at < ITEMS.length; at += 70) {
        const items = ITEMS.slice(at, at + 70)
        expect((await request('POST', '/api/v1/sums/items/bulk', { body: { items } })).status).toBeLessThan(
          300,
        )
      }
      const told: unknown[] = []
      for (const [at, zone] of ZONES.entries()) {
        const { widgets } = (await request('GET', `/api/v1/sums/dashboards/d${at}`)).body.data
        const dayOf = new Intl.DateTimeFormat('en-CA', { timeZone: zone })
        for (const fn of FUNCTIONS)
          for (const field of FIELDS) {
            const { groups } = widgets[`${fn}_${field}_${at}`]
            expect(groups).toHaveLength(LAST)
            expect([zone, fn, field, groups.map(({ value }: any) => value)]).toEqual([
              zone,
              fn,
              field,
              groups.map(({ key }: any) =>
                plain(
                  fn,
                  ITEMS.filter((one) => dayOf.format(new Date(one.at)) === key).flatMap(
                    (one) => one[field] ?? [],
                  ),
                ),
              ),
            ])
            told.push(groups)
          }
      }
      answers.push(JSON.stringify(told))
      expect(new Set(answers).size).toBe(1)
    })
  })
}
