import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const ZONES = ['Europe/London', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC']
const FIGURES = [
  'count(Item)',
  "count(Item, kind == 'a')",
  'count(Item.n)',
  'countDistinct(Item.kind)',
  'sum(Item.n)',
  'sum(Item.n, q > 0)',
  'avg(Item.n)',
  'min(Item.n)',
  'max(Item.at)',
  'min(Item.day)',
  'sum(Item.q)',
]
const series = (interval: string, last: number) =>
  ZONES.map(
    (zone, at) =>
      `        ${interval}${at}: { type: timeSeries, query: { source: Item, dateField: at, interval: ${interval}, last: ${last}, timezone: ${zone} } }`,
  ).join('\n')
const DEFINITION = `
domain:
  name: plain
  version: '1'
  resources:
    Item:
      object: { n: decimal, q: integer, kind: string, day: date, at: datetime }
      permissions: { list: ['*'], create: ['*'] }
  views:
    items: { source: Item, columns: [kind, n, q, day, at] }
  reports:
    r:
      permissions: ['*']
      sections:
        - metrics:
${FIGURES.map((value) => `            - { label: x, value: ${JSON.stringify(value)} }`).join('\n')}
        - table: { view: items, groupBy: kind, totals: { n: sum, q: count } }
  dashboards:
    d:
      permissions: ['*']
      widgets:
        kinds: { type: breakdown, query: { source: Item, groupBy: kind, aggregate: sum, field: n, sort: key } }
${series('hour', 600)}
${series('day', 25)}
`

/** Clocks change in London on 29 March, and on Lord Howe, by half an hour, on 5 April. */
const NOW = Date.parse('2026-04-08T10:20:00Z')
const SPAN_MS = 20 * 86_400_000

interface Item {
  readonly n: number | null
  readonly q: number | null
  readonly kind: string | null
  readonly day: string | null
  readonly at: string | null
}

const orNull = <T>(one: fc.Arbitrary<T>) => fc.option(one, { freq: 6 })
const item: fc.Arbitrary<Item> = fc.record({
  n: orNull(fc.integer({ min: -999_999, max: 999_999 }).map((cents) => cents / 100)),
  q: orNull(fc.integer({ min: -5, max: 5 })),
  kind: orNull(fc.constantFrom('a', 'b', 'B', 'é', '')),
  day: orNull(
    fc
      .integer({ min: 0, max: 900 })
      .map((days) => new Date(NOW - days * 86_400_000).toISOString().slice(0, 10)),
  ),
  at: orNull(fc.integer({ min: 0, max: SPAN_MS }).map((ms) => new Date(NOW - ms).toISOString())),
})
const ITEMS = fc.sample(fc.array(item, { minLength: 150, maxLength: 150 }), { numRuns: 1, seed: 2026 })[0]!

const known = <T>(values: readonly (T | null)[]): readonly T[] => values.filter((one) => one !== null)
const cents = (values: readonly (number | null)[]): number =>
  known(values).reduce((sum, one) => sum + Math.round(one * 100), 0)
const sorted = <T>(values: readonly T[]): readonly T[] =>
  values.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0))
const dateIn = (at: string, zone: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(new Date(at))

/** By code point, null first. */
const kinds: readonly (string | null)[] = [null, '', 'B', 'a', 'b', 'é']
const ofKind = (kind: string | null) => ITEMS.filter((one) => one.kind === kind)

for (const store of STORES) {
  describe(`figures on ${store.name} are those of a plain evaluation`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    const read = async (path: string) => (await server().request('GET', `/api/v1/plain/${path}`)).body.data

    it('F9 D3 aggregates, groups and series, across clock changes', async () => {
      const { request, clock } = server()
      clock.advance(NOW - clock.now())
      for (let at = 0; at < ITEMS.length; at += 50) {
        const { status } = await request('POST', '/api/v1/plain/items/bulk', {
          body: { items: ITEMS.slice(at, at + 50) },
        })
        expect(status).toBeLessThan(300)
      }
      const [{ metrics }, table] = (await read('reports/r')).sections
      const ns = known(ITEMS.map(({ n }) => n))
      const mean = cents(ns) / 100 / ns.length
      expect(metrics.map(({ value }: any) => value)).toEqual([
        ITEMS.length,
        ofKind('a').length,
        ns.length,
        new Set(known(ITEMS.map(({ kind }) => kind))).size,
        cents(ns) / 100,
        cents(ITEMS.filter(({ q }) => q !== null && q > 0).map(({ n }) => n)) / 100,
        expect.closeTo(mean, 6),
        Math.min(...ns),
        sorted(known(ITEMS.map(({ at }) => at))).at(-1),
        sorted(known(ITEMS.map(({ day }) => day)))[0],
        known(ITEMS.map(({ q }) => q)).reduce((sum, one) => sum + one, 0),
      ])
      expect(
        table.groups.map(({ value, count, totals, items }: any) => [
          value,
          count,
          totals.n,
          totals.q,
          items.length,
        ]),
      ).toEqual(
        kinds.map((kind) => {
          const own = ofKind(kind)
          return [
            kind,
            own.length,
            cents(own.map(({ n }) => n)) / 100,
            known(own.map(({ q }) => q)).length,
            own.length,
          ]
        }),
      )
      const { widgets } = await read('dashboards/d')
      expect(widgets.kinds.groups.map(({ key, value }: any) => [key, value])).toEqual(
        kinds.map((kind) => [kind, cents(ofKind(kind).map(({ n }) => n)) / 100]),
      )
      const times = known(ITEMS.map(({ at }) => at))
      for (const [at, zone] of ZONES.entries()) {
        const days = widgets[`day${at}`].groups
        const plain = times.map((one) => dateIn(one, zone))
        expect([zone, days.map(({ key, value }: any) => [key, value])]).toEqual([
          zone,
          days.map(({ key }: any) => [key, plain.filter((one) => one === key).length]),
        ])
        const hours = widgets[`hour${at}`].groups
        expect([zone, hours.length, new Set(hours.map(({ key }: any) => key)).size]).toEqual([zone, 600, 600])
        for (const groups of [days, hours])
          expect([zone, groups.reduce((sum: number, { value }: any) => sum + value, 0)]).toEqual([
            zone,
            times.length,
          ])
      }
    })
  })
}
