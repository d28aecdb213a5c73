import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import {
  DEFINITION,
  draw,
  FUNCTIONS,
  GROUPS,
  INTERVALS,
  type Item,
  METRICS,
  NOW,
  OWNER_NAMES,
  TABLES,
  ZONES,
} from './figures.ts'
import { ascending, beginning, dateIn, figureOf, gathered, valueOf } from './plainly.ts'

/** How many times records are added, and how many each time. */
const ROUNDS = size('PROOF_FIGURES', { smoke: 1, whole: 25 })
const EACH = 90

const ASKED = [
  ...['figures', 'tables', 'asked', 'asked?least=100&from=2026-04-01'].map((one) => `reports/${one}`),
  'reports/tables?format=csv',
  ...['kind,-money', '-day,rate', '-ratio,whole', 'at,time', '-yes,flag,kind'].map((sort) => `views/items?sort=${sort}`),
  'views/items?format=csv',
  'views/items?formatted=true&limit=1000',
  'views/some?limit=3&page=2',
  'dashboards/breakdowns',
  ...ZONES.map((_, at) => `dashboards/series${at}`),
] // prettier-ignore

describe('figures over records that are drawn at random', () => {
  const servers = new Map<string, TestKernel>()
  const items: Item[] = []
  beforeAll(async () => {
    for (const store of STORES) {
      const server = await startTestKernel({ store, definition: DEFINITION })
      servers.set(store.name, server)
      server.clock.advance(NOW - server.clock.now())
      for (const [id, name] of Object.entries(OWNER_NAMES))
        expect((await server.request('POST', '/api/v1/figures/owners', { body: { id, name } })).status).toBe(
          201,
        )
    }
  })
  afterAll(async () => {
    for (const server of servers.values()) await server.stop()
  })

  /** The answer of all stores, which is one, byte for byte. */
  const ask = async (path: string): Promise<any> => {
    const told: string[] = []
    for (const server of servers.values()) {
      const { status, body } = await server.request('GET', `/api/v1/figures/${path}`)
      expect([path, status]).toEqual([path, 200])
      told.push(JSON.stringify(body))
    }
    expect(new Set(told).size, path).toBe(1)
    const [one = ''] = told
    return one.startsWith('"') ? one : JSON.parse(one).data
  }
  const add = async (round: number) => {
    const some = draw(EACH, round + 1)
    items.push(...some)
    for (const { request } of servers.values()) {
      const { status, body } = await request('POST', '/api/v1/figures/items/bulk', { body: { items: some } })
      expect([status, body.data?.errors ?? []]).toEqual([201, []])
    }
  }

  const byGroup = (keyOf: (one: Item) => ReturnType<typeof valueOf>) =>
    [...gathered(items, keyOf)].toSorted(([one], [other]) => ascending(one, other))

  const checkMetrics = async () => {
    const [{ metrics }] = (await ask('reports/figures')).sections
    const found = new Map<string, unknown>(metrics.map(({ label, value }: any) => [label, value]))
    expect([...found.keys()]).toEqual(METRICS)
    for (const [label, value] of found) {
      const [, fn, name] = /^(\w+)\(Item(?:\.(\w+))?\)$/.exec(label) ?? []
      const known = FUNCTIONS.find((one) => one === fn)
      if (known) expect([label, value]).toEqual([label, figureOf(known, items, name)])
    }
    const rich = items.filter(({ money }) => money !== null && money > 0)
    expect(found.get("count(Item, kind == 'a')")).toBe(items.filter(({ kind }) => kind === 'a').length)
    expect(found.get('sum(Item.money, whole > 0)')).toBe(
      figureOf(
        'sum',
        items.filter(({ whole }) => whole !== null && whole > 0),
        'money',
      ),
    )
    expect(found.get("avg(Item.rate, yes and owner.name == 'Ada')")).toBe(
      figureOf(
        'avg',
        items.filter((one) => one.yes === true && valueOf(one, 'owner.name') === 'Ada'),
        'rate',
      ),
    )
    expect(found.get('count(some)')).toBe(rich.length)
    expect(found.get('sum(some.doubled)')).toBe(figureOf('sum', rich, 'doubled'))
  }

  const totalsOf = (some: readonly Item[]) => ({
    money: figureOf('sum', some, 'money'),
    rate: figureOf('avg', some, 'rate'),
    whole: figureOf('count', some, 'whole'),
    ratio: figureOf('sum', some, 'ratio'),
    doubled: figureOf('max', some, 'doubled'),
    at: figureOf('min', some, 'at'),
  })

  const checkTables = async () => {
    const { sections } = await ask('reports/tables')
    for (const [at, table] of TABLES.entries()) {
      const section = sections[at]
      expect([table, section.totalCount, section.totals]).toEqual([table, items.length, totalsOf(items)])
      const told = section.groups.map(({ value, count, totals }: any) => [value, count, totals])
      const sum = told.reduce((all: number, [, count]: any) => all + count, 0)
      expect([table, sum]).toEqual([table, items.length])
      const [, column = '', interval, zone = 'UTC'] =
        /^groupBy: (?:\{ column: )?([\w.]+)(?:, interval: (\w+)(?:, timezone: (\S+))?)?/.exec(table) ?? []
      const known = INTERVALS.find((one) => one === interval)
      // The hours of clocks that change by half of one are told apart below.
      if (known === 'hour') {
        expect([table, new Set(told.map(([value]: any) => value)).size]).toEqual([table, told.length])
        continue
      }
      const groups = byGroup((one) => {
        const value = valueOf(one, column)
        if (known === undefined || typeof value !== 'string') return value
        return beginning(column === 'day' ? value : dateIn(value, zone), known)
      })
      expect([table, told]).toEqual([table, groups.map(([value, own]) => [value, own.length, totalsOf(own)])])
    }
  }

  const checkBreakdowns = async () => {
    const { widgets } = await ask('dashboards/breakdowns')
    for (const [at, name] of GROUPS.entries())
      for (const fn of FUNCTIONS) {
        const field = fn === 'count' ? undefined : 'money'
        const groups = byGroup((one) => valueOf(one, name === 'doubled' ? 'whole' : name)).map(
          ([key, own]) => [key, figureOf(fn, own, field)] as const,
        )
        const sorted = at % 2 ? groups.toSorted(([, one], [, other]) => ascending(other, one)) : groups
        const { groups: told, truncated } = widgets[`${fn}${at}`]
        expect([name, fn, told.map(({ key, value }: any) => [key, value])]).toEqual([
          name,
          fn,
          sorted.slice(0, 100),
        ])
        expect(truncated).toBe(sorted.length > 100)
      }
  }

  const checkSeries = async () => {
    for (const [at, zone] of ZONES.entries()) {
      const { widgets } = await ask(`dashboards/series${at}`)
      for (const interval of INTERVALS)
        for (const fn of FUNCTIONS) {
          const { groups } = widgets[`${fn}_${interval}`]
          const keys: string[] = groups.map(({ key }: any) => key)
          expect([zone, interval, keys.length, new Set(keys).size]).toEqual([
            zone,
            interval,
            interval === 'hour' ? 490 : 30,
            keys.length,
          ])
          if (interval === 'hour') {
            if (fn !== 'count') continue
            const from = Date.parse(keys[0]!)
            const inside = items.filter((one) => one.at !== null && Date.parse(one.at) >= from)
            const sum = groups.reduce((all: number, { value }: any) => all + value, 0)
            expect([zone, sum]).toEqual([zone, inside.length])
            continue
          }
          const field = fn === 'count' ? undefined : fn === 'avg' ? 'rate' : 'money'
          const own = gathered(items, (one) => one.at && beginning(dateIn(one.at, zone), interval))
          expect([zone, interval, fn, groups.map(({ value }: any) => value)]).toEqual([
            zone,
            interval,
            fn,
            keys.map((key) => figureOf(fn, own.get(key) ?? [], field)),
          ])
        }
      const days = gathered(items, (one) => one.day && beginning(one.day, 'week'))
      for (const { key, value } of widgets.days.groups)
        expect([zone, key, value]).toEqual([zone, key, days.get(key)?.length ?? 0])
    }
  }

  it(
    'F9 R5 D2 D3 D4 are alike on all stores, byte for byte, and those of a plain evaluation',
    async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await add(round)
        for (const path of ASKED) await ask(path)
        await checkMetrics()
        await checkTables()
        await checkBreakdowns()
        await checkSeries()
      }
    },
    // Each round looks at all that were added before.
    60_000 + ROUNDS * 60_000,
  )
})
