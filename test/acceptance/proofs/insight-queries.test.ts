import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '../../kit/random.ts'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel } from '../../kit/test-kernel.ts'
import { faultsOf } from '../laws/answer-law.ts'
import { oddHeaders, SEGMENTS, spoiledQuery } from '../laws/hostile.ts'

/** How many requests are sent to each store. */
const RUNS = size('PROOF_INSIGHT_QUERIES', { smoke: 400, whole: 50_000 })
const SEED = 4711
const AT_ONCE = 10

/** Every type that a parameter may have. */
const TYPES = [
  'string', 'text', 'markdown', 'slug', 'email', 'url', 'phone', 'country', 'language', 'timezone', 'color', 'currency',
  'integer', 'bytes', 'decimal', 'money', 'percentage', 'float', 'boolean', 'date', 'time', 'datetime', 'timestamp', 'uuid', 'media', 'svg',
] as const // prettier-ignore
/** A report has 20 parameters at most. */
const HALVES = [TYPES.slice(0, 13), TYPES.slice(13)]

/** A value of each type, and what is a value of none. */
const VALUES = [
  'a', 'Straße', 'a-b', 'a@example.org', 'https://example.org/?a=b', '+44 20 7946 0000', 'GB', 'de-AT', 'Europe/London', '#16A34A', 'EUR',
  '5', '-5', '1.5', '-0', '007', '1e3', '12.345', '99999999999999.99', 'true', 'false', '2026-03-01', '10:00', '10:00:00.5', '2026-03-01T10:00:00Z',
  '2026-03-29T01:30:00+01:00', '0190b3c4-0000-7000-8000-000000000001', '<svg/>', '', ' ', ' 5', '5 ', 'null', 'undefined', 'NaN', 'Infinity', '1e999', '-1e999', '1e-999', '0x10',
  '1_000', '1,5', '٣', '9007199254740993', '99999999999999999999', '2026-02-30', '2026-13-01', '0000-00-00', '9999-12-31', '10000-01-01', '-000001-01-01',
  '275760-09-13T00:00:00Z', '2026-03-01T25:00:00Z', '2026-03-01T10:00:00', '24:00', '25:00', '\u0000', 'a\u0000b', '\ufffd', '😀', '\u202e', '__proto__', 'constructor',
  "'; drop table x; --", '{a}', '{#each x}', '${HOME}', '%', '[]', '{}', 'x'.repeat(3000),
] // prettier-ignore

const DEFINITION = `
domain:
  name: asked
  version: '1'
  config: { timezone: Europe/London, currency: GBP }
  localization: { supportedLocales: [en, de, de-AT, ar], permissions: ['*'] }
  resources:
    Owner: { object: { name: string }, permissions: { list: ['*'], get: "name != 'hidden'", create: ['*'] } }
    Item:
      features: { softDelete: true }
      object: { name: string, kind: { type: string, enum: [a, b] }, money: money, rate: decimal, yes: boolean, day: date, at: datetime, secret: string, deletedAt: datetime, ownerId: uuid }
      relationships: { owner: { type: belongsTo, target: Owner } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], fields: { secret: { read: [boss] } } }
      history: { events: { made: { on: create, label: 'Made {name}' } } }
  views:
    items: { source: Item, permissions: ['*'], sort: 'money desc', columns: [name, kind, money, rate, yes, day, at, secret, owner.name, { name: twice, computed: money * 2, highlight: money > 5 }] }
    shut: { source: Item, columns: [name] }
    closed: { source: Item, permissions: ['*'], filter: secret == 'x', columns: [name] }
  reports:
${HALVES.map(
  (types, at) => `    half${at}:
      permissions: ['*']
      header: '${types.map((type) => `{p_${type}}`).join(' ')}'
      parameters: [${types.map((type) => `{ name: p_${type}, type: ${type}, optional: true }`).join(', ')}]
      sections:
        - { metrics: [{ label: n, value: count(Item) }, { label: secret, value: max(Item.rate) }] }
        - { table: { view: items, groupBy: kind, totals: [money] } }`,
).join('\n')}
    used:
      permissions: ['*']
      parameters:
        - { name: least, type: decimal, optional: true }
        - { name: since, type: date, default: "startOf(today(), 'year')" }
        - { name: called, optional: true }
        - { name: which, enum: [a, b], default: a }
        - { name: so, type: boolean, default: true }
        - { name: then, type: datetime, optional: true }
        - { name: of, type: uuid, optional: true }
      sections:
        - { table: { view: items, filter: "(least == null or money >= least) and day >= since and (name == called or kind == which) and (yes == so or at > then or ownerId == of)", groupBy: { column: day, interval: month } } }
        - { metrics: [{ label: x, value: "sum(Item.money, money > least or name contains called)" }] }
  dashboards:
    kept: { permissions: ['*'], refresh: 1m, widgets: &all { n: { type: counter, query: count(Item) }, kinds: { type: breakdown, query: { source: Item, groupBy: kind } }, days: { type: timeSeries, query: { source: Item, interval: day, dateField: day } }, rows: { type: table, query: { view: items } }, past: { type: timeline, query: { source: Item } }, shut: { type: counter, query: { source: Item, filter: secret == 'x' } } } }
    fresh: { permissions: ['*'], widgets: *all }
`

const WIDGETS = ['n', 'kinds', 'days', 'rows', 'past', 'shut', 'nothing', '__proto__', 'constructor']
const COLUMNS = [
  'name',
  'kind',
  'money',
  'yes',
  'day',
  'at',
  'secret',
  'owner.name',
  'twice',
  'id',
  '',
  '-',
  '--name',
  '__proto__',
]

type Parameter = [name: string, value: string]

/** An address below the domain, with parameters that mean something there, well or badly said. */
function addressOf(random: Random): { readonly path: string; readonly parameters: readonly Parameter[] } {
  const value = (): string => random.pick(VALUES)
  const some = (names: readonly string[]) =>
    random.some(names, 1 + random.int(4)).map((name): Parameter => [name, value()])
  const section = () => random.pick(['1', '2', '3', '0', '-1', '1.5', 'x', ''])
  switch (random.int(6)) {
    case 0: {
      const sort = random
        .some(COLUMNS, 1 + random.int(5))
        .map((name) => `${random.chance(0.4) ? '-' : ''}${name}`)
      return {
        path: `views/${random.pick(['items', 'items', 'items', 'shut', 'closed', 'nothing'])}`,
        parameters: [
          ['sort', random.chance(0.02) ? Array(1000).fill(random.pick(sort)).join() : sort.join()],
          ['format', random.pick(['json', 'json', 'csv', 'xml'])],
          ['formatted', random.pick(['true', 'false', 'x'])],
          ['limit', random.chance(0.5) ? value() : '3'],
          ['page', random.chance(0.5) ? value() : '2'],
        ],
      }
    }
    case 1: {
      const at = random.int(HALVES.length)
      const names = HALVES[at]!.map((type) => `p_${type}`)
      return {
        path: `reports/half${at}`,
        parameters: [...some(names), ['format', random.pick(['json', 'csv'])]],
      }
    }
    case 2:
      return {
        path: 'reports/used',
        parameters: [
          ...some(['least', 'since', 'called', 'which', 'so', 'then', 'of']),
          ['format', random.pick(['json', 'csv', 'csv'])],
          ['section', section()],
        ],
      }
    case 3:
      return {
        path: `dashboards/${random.pick(['kept', 'fresh', 'nothing'])}`,
        parameters: some(['format', 'refresh']),
      }
    case 4:
      return {
        path: `dashboards/${random.pick(['kept', 'fresh'])}/widgets/${random.pick(WIDGETS)}`,
        parameters: [],
      }
    default:
      return {
        path: `localization/${random.pick(['coverage', 'missing', 'export'])}`,
        parameters: [
          [
            'locale',
            random.pick(['de', 'DE-at', 'ar', 'fr', '../../x', '__proto__', 'en;q=1', ...VALUES.slice(-12)]),
          ],
          ['format', random.pick(['yaml', 'csv', 'xliff', 'xls'])],
          ['version', random.pick(['1.2', '2.0', '3', ''])],
        ],
      }
  }
}

/** The clock goes on while questions are asked: whoever may ask more may do so to the end. */
const LASTING = {
  auth: { jwt: { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 86_400 } },
}

for (const store of STORES) {
  describe(`${RUNS} questions about figures on ${store.name}`, () => {
    it(
      'F2 R3 V7 D7 L11 are answered by the law, and leave a server that answers',
      async () => {
        const server = await startTestKernel({ store, config: LASTING, definition: DEFINITION })
        try {
          const random = createRandom(SEED)
          const base = '/api/v1/asked'
          const owner = await server.request('POST', `${base}/owners`, { body: { name: 'Ann' } })
          for (let at = 0; at < 12; at += 1) {
            const body = {
              name: `n${at}`,
              kind: at % 2 ? 'a' : 'b',
              money: at,
              yes: at % 3 === 0,
              day: `2026-02-${10 + at}`,
              at: '2026-02-01T10:00:00Z',
              ownerId: owner.body.data.id,
            }
            expect((await server.request('POST', `${base}/items`, { body })).status).toBe(201)
          }
          const { token: boss } = await server.account('boss', ['boss'])
          const codes = new Map<number, number>()
          const ask = async (): Promise<readonly unknown[]> => {
            const { path, parameters } = addressOf(random)
            const plain = new URLSearchParams([...parameters]).toString()
            const query = random.chance(0.3) ? spoiledQuery(plain, random) : plain
            const address = `${base}/${random.chance(0.02) ? `${path}/${random.pick(SEGMENTS)}` : path}`
            const token = random.pick([undefined, undefined, boss, server.admin])
            const headers = random.chance(0.3) ? oddHeaders(random) : {}
            const answer = await server.request('GET', `${address}?${query}`, {
              ...(token !== undefined && { token }),
              headers,
            })
            codes.set(answer.status, (codes.get(answer.status) ?? 0) + 1)
            const faults = faultsOf({ method: 'GET', path: address, query, headers }, answer)
            return faults.length > 0
              ? [{ address, query: query.slice(0, 300), headers, faults, body: answer.body }]
              : []
          }
          for (let run = 0; run < RUNS; run += AT_ONCE) {
            const wrong = (await Promise.all(Array.from({ length: AT_ONCE }, ask))).flat()
            expect(wrong).toEqual([])
            server.clock.advance(random.int(5000))
          }
          for (const code of [200, 400, 401, 403, 404])
            expect([code, codes.get(code) ?? 0]).not.toEqual([code, 0])
          expect(codes.get(200)).toBeGreaterThan(RUNS / 4)
          const path = `${base}/views/items?sort=-money&limit=1`
          const { items } = (await server.request('GET', path, { token: boss })).body.data
          expect(items).toMatchObject([{ name: 'n11', money: 11, 'owner.name': 'Ann', twice: 22 }])
        } finally {
          await server.stop()
        }
      },
      60_000 + RUNS * 20,
    )
  })
}
