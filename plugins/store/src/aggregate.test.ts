import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { size as sizeOf } from '../../../test/kit/size.ts'
import { startStore, STORES } from '../../../test/kit/stores.ts'
import {
  type AggregatePlan,
  answerOf,
  column,
  type Condition,
  type Measure,
  type Row,
  type Scalar,
  type Store,
  type Table,
  type Value,
} from './contract.ts'

const id = column('id', 'integer')
const whole = column('whole', 'integer', true)
const price = column('price', 'decimal', true)
const ratio = column('ratio', 'float', true)
const title = column('title', 'text', true)
const done = column('done', 'boolean', true)
const day = column('day', 'date', true)
const at = column('at', 'datetime', true)
const key = column('key', 'uuid', true)
const tags = column('tags', 'json', true)
const columns = [id, whole, price, ratio, title, done, day, at, key, tags]
const SALE: Table = { name: 'sale', columns, primaryKey: [id], indexes: [], foreignKeys: [] }

const ALWAYS: Condition = { op: 'always' }
const of = (one: (typeof columns)[number]): Scalar => ({ op: 'column', column: one })
const call = (name: 'multiply' | 'lower' | 'instant', ...args: Scalar[]): Scalar => ({
  op: 'call',
  name,
  of: args,
})
const plan = (more: Partial<AggregatePlan>): AggregatePlan => ({
  table: SALE,
  where: ALWAYS,
  by: {},
  measures: {},
  ...more,
})

for (const under of STORES) {
  describe(`aggregates on the ${under.name} store`, () => {
    let store: Store
    let stop: () => Promise<void>
    beforeAll(async () => {
      ;({ store, stop } = await startStore(under))
      await store.ensure([SALE])
    })
    afterAll(() => stop())

    const filled = async (rows: readonly Row[]): Promise<void> => {
      await store.transaction(async (tx) => {
        await tx.remove({ table: SALE, where: { op: 'gte', column: id, value: 0 } })
        for (const [number, row] of rows.entries()) {
          await tx.insert({ table: SALE, values: { id: number, ...row } })
        }
      })
    }
    const every = (of: Scalar): Readonly<Record<string, Measure>> => ({
      count: { fn: 'count', scalar: of },
      distinct: { fn: 'countDistinct', scalar: of },
      sum: { fn: 'sum', scalar: of },
      avg: { fn: 'avg', scalar: of },
      min: { fn: 'min', scalar: of },
      max: { fn: 'max', scalar: of },
    })

    test('answer one row over no rows: counts are 0, the others null', async () => {
      await filled([])
      expect(
        await store.aggregate(plan({ measures: { rows: { fn: 'count' }, ...every(of(price)) } })),
      ).toEqual([{ rows: 0, count: 0, distinct: 0, sum: null, avg: null, min: null, max: null }])
      expect(
        await store.aggregate(plan({ by: { title: of(title) }, measures: { n: { fn: 'count' } } })),
      ).toEqual([])
    })

    test('sum decimals and doubles by their digits, and pass nulls over', async () => {
      await filled([0.1, 0.2, 0.1, null].map((one) => ({ price: one, ratio: one })))
      const sums = { count: 3, distinct: 2, sum: 0.4, avg: 0.133333, min: 0.1, max: 0.2 }
      for (const one of [price, ratio]) {
        expect(await store.aggregate(plan({ measures: every(of(one)) }))).toEqual([sums])
      }
    })

    test('know no sum past what a double holds, and one that comes back from there', async () => {
      await filled([1.7e308, 1.7e308, 5e-324].map((one) => ({ ratio: one })))
      const { sum, avg } = every(of(ratio))
      const measures = { sum: sum!, avg: avg! }
      expect(await store.aggregate(plan({ measures }))).toEqual([{ sum: null, avg: 1.7e308 / 1.5 }])
      await filled([1.7e308, 1.7e308, -1.7e308, -1.7e308, 1.5].map((one) => ({ ratio: one })))
      expect(await store.aggregate(plan({ measures }))).toEqual([{ sum: 1.5, avg: 0.3 }])
    })

    test('sum whole numbers past 2^53 to the nearest double', async () => {
      await filled(Array.from({ length: 3 }, () => ({ whole: Number.MAX_SAFE_INTEGER })))
      const exact = Number(3n * BigInt(Number.MAX_SAFE_INTEGER))
      expect(await store.aggregate(plan({ measures: { sum: { fn: 'sum', scalar: of(whole) } } }))).toEqual([
        { sum: exact },
      ])
    })

    test('round an average half away from zero, once', async () => {
      const averages = async (numbers: readonly number[]) => {
        await filled(numbers.map((one) => ({ price: one })))
        return (await store.aggregate(plan({ measures: { avg: { fn: 'avg', scalar: of(price) } } })))[0]
      }
      expect(await averages([0.000001, 0])).toEqual({ avg: 0.000001 })
      expect(await averages([-0.000001, 0])).toEqual({ avg: -0.000001 })
      // The quotient is 0.4999999999999999999…, which rounds up where it is rounded to fewer digits first.
      expect(await averages([0.00000149999999, 0.00000149999999])).toEqual({ avg: 0.000001 })
      expect(await averages([1e21, 0.5])).toEqual({ avg: 5e20 })
    })

    test('tell the calendar units of a time zone, whose days have 23 to 25 hours', async () => {
      const instants = [
        '2026-03-28T23:30:00.000Z',
        '2026-10-25T00:30:00.000Z',
        '2026-10-25T01:30:00.000Z',
        '2026-12-31T23:30:00.000Z',
        '0001-01-01T00:00:00.000Z',
        null,
      ]
      await filled(instants.map((one) => ({ at: one })))
      const told = async (unit: 'hour' | 'day' | 'week' | 'quarter' | 'year', zone?: string) => {
        const start: Scalar = {
          op: 'truncate',
          unit,
          of: call('instant', of(at)),
          ...(zone !== undefined && { zone }),
        }
        const rows = await store.aggregate(
          plan({ by: { id: of(id), start }, order: [{ by: 'id', descending: false }] }),
        )
        return rows.map((row) => row['start'])
      }
      expect(await told('day', 'Europe/Madrid')).toEqual([
        '2026-03-29',
        '2026-10-25',
        '2026-10-25',
        '2027-01-01',
        '0001-01-01',
        null,
      ])
      expect(await told('hour', 'Asia/Kathmandu')).toEqual([
        '2026-03-28T23:15:00.000Z',
        '2026-10-25T00:15:00.000Z',
        '2026-10-25T01:15:00.000Z',
        '2026-12-31T23:15:00.000Z',
        null,
        null,
      ])
      expect(await told('week', 'Europe/Madrid')).toEqual([
        '2026-03-23',
        '2026-10-19',
        '2026-10-19',
        '2026-12-28',
        '0001-01-01',
        null,
      ])
      expect(await told('quarter')).toEqual([
        '2026-01-01',
        '2026-10-01',
        '2026-10-01',
        '2026-10-01',
        '0001-01-01',
        null,
      ])
      expect(await told('year', 'America/New_York')).toEqual([
        '2026-01-01',
        '2026-01-01',
        '2026-01-01',
        '2026-01-01',
        null,
        null,
      ])
      await expect(told('day', 'Europe/Atlantis')).rejects.toThrow(/Atlantis/)
    })

    test('see the writes of their own transaction', async () => {
      await filled([])
      const seen = await store.transaction(async (tx) => {
        await tx.insert({ table: SALE, values: { id: 1, price: 2.5 } })
        return tx.aggregate(plan({ measures: { sum: { fn: 'sum', scalar: of(price) } } }))
      })
      expect(seen).toEqual([{ sum: 2.5 }])
    })

    test('keep nobody waiting, and end with the store', async () => {
      const { store: other, stop: close } = await startStore(under)
      await other.ensure([SALE])
      const rows = Array.from({ length: 20_000 }, (_, number) => ({ id: number, price: number / 100 }))
      await other.transaction((tx) => tx.insertRows({ table: SALE, rows }))
      const count = (where: Condition) => other.count({ table: SALE, where })
      // To connect takes as long as to aggregate: who asks later is connected already.
      await Promise.all([1, 2].map((value) => count({ op: 'eq', column: id, value })))
      const settled: string[] = []
      const long = other.aggregate(plan({ by: { price: of(price) }, measures: every(of(price)) })).then(
        (groups) => settled.push(`${groups.length} groups`),
        ({ code }) => settled.push(String(code)),
      )
      // One row by its key: on a busy machine a count of all takes as long as the groups.
      await count({ op: 'eq', column: id, value: 3 })
      expect(settled).toEqual([])
      await Promise.all([long, close()])
      expect(['20000 groups', 'UNAVAILABLE']).toContain(settled[0])
    })

    test('compare a row with those of another table', async () => {
      await filled([{ whole: 0 }, { whole: 0 }, { whole: 7 }])
      const hasOther: Condition = { op: 'exists', table: SALE, on: [[id, whole]], where: ALWAYS }
      const rows = await store.aggregate(
        plan({ measures: { some: { fn: 'count', where: hasOther }, all: { fn: 'count' } } }),
      )
      expect(rows).toEqual([{ some: 2, all: 3 }])
    })

    test.each([
      ['no group and no measure', {}, /must group or measure/],
      ['one name twice', { by: { a: of(id) }, measures: { a: { fn: 'count' } } }, /same name/],
      ['an order by nothing', { by: { a: of(id) }, order: [{ by: 'b', descending: false }] }, /has no 'b'/],
      ['a sum of texts', { measures: { a: { fn: 'sum', scalar: of(title) } } }, /takes number values/],
      ['the least of truth', { measures: { a: { fn: 'min', scalar: of(done) } } }, /takes number and text/],
      ['groups of JSON', { by: { a: of(tags) } }, /holds JSON/],
      ['a long name', { by: { ['a'.repeat(64)]: of(id) } }, /63 bytes/],
    ] as const)('refuse %s', async (_, more, message) => {
      await expect(store.aggregate(plan(more))).rejects.toThrow(message)
    })
  })
}

describe('the stores', () => {
  const running: { store: Store; stop: () => Promise<void> }[] = []
  beforeAll(async () => {
    for (const under of STORES) {
      const started = await startStore(under)
      await started.store.ensure([SALE])
      running.push(started)
    }
  })
  afterAll(async () => {
    for (const { stop } of running) await stop()
  })

  test('group and measure alike, as a plain evaluation does', async () => {
    const runs = sizeOf('AGGREGATE_RUNS', { smoke: 40, whole: 1000 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(ROW, { maxLength: 30 }),
        fc.array(PLAN, { minLength: 1, maxLength: 6 }),
        async (rows, plans) => {
          const table = rows.map((row, number) => ({ ...row, id: number }))
          for (const { store } of running) {
            await store.transaction(async (tx) => {
              await tx.remove({ table: SALE, where: { op: 'gte', column: id, value: 0 } })
              await tx.insertRows({ table: SALE, rows: table })
            })
          }
          for (const asked of plans) {
            const expected = JSON.stringify(evaluate(asked, table))
            for (const { store } of running) {
              expect(JSON.stringify(await store.aggregate(asked.plan))).toBe(expected)
            }
          }
        },
      ),
      { numRuns: runs },
    )
  }, 600_000)
})

/** A scalar or condition beside the function that means the same. */
interface Meant<Written, Result> {
  readonly written: Written
  readonly means: (row: Row) => Result
}

const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 5 })
const instant = fc
  .integer({ min: Date.UTC(1971, 0, 1), max: Date.UTC(2099, 0, 1) })
  .map((time) => new Date(time).toISOString())
const decimals = fc.oneof(
  fc.integer({ min: -100_000, max: 100_000 }).map((cents) => cents / 100),
  fc.constantFrom(0, 1e-7, 0.1, 0.2, 1e15, -1e21, 123_456_789.123_456_78),
)
const ROW = fc.record({
  whole: nullable(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.maxSafeInteger())),
  price: nullable(decimals),
  ratio: nullable(
    fc.oneof(
      decimals,
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0),
    ),
  ),
  title: nullable(fc.constantFrom('', 'a', 'B', 'Ä', 'ä', '\uffee', '😀', 'ab')),
  done: nullable(fc.boolean()),
  day: nullable(instant.map((one) => one.slice(0, 10))),
  at: nullable(instant),
  key: nullable(
    fc.constantFrom('018f3f2a-0000-7000-8000-000000000001', 'ff8f3f2a-0000-7000-8000-000000000001'),
  ),
  tags: nullable(fc.constant([1])),
})

const field = (one: (typeof columns)[number]): Meant<Scalar, Value> => ({
  written: of(one),
  means: (row) => row[one.name] ?? null,
})
const ZONES = ['Europe/Madrid', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe'] as const
const UNITS = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const
const truncated = (unit: (typeof UNITS)[number], zone: string | undefined): Meant<Scalar, Value> => ({
  written: { op: 'truncate', unit, of: call('instant', of(at)), ...(zone !== undefined && { zone }) },
  means: ({ at: told }) => (typeof told === 'string' ? startOf(Date.parse(told), unit, zone ?? 'UTC') : null),
})
const SLOTS = { hour: 3_600_000, quarterHour: 900_000, minute: 60_000 } as const
const slot = (unit: keyof typeof SLOTS): Meant<Scalar, Value> => ({
  written: { op: 'slot', unit, column: at },
  means: ({ at: told }) =>
    typeof told === 'string'
      ? new Date(Math.floor(Date.parse(told) / SLOTS[unit]) * SLOTS[unit]).toISOString()
      : null,
})
const numbers: readonly Meant<Scalar, Value>[] = [
  field(whole),
  field(price),
  field(ratio),
  {
    written: call('multiply', of(whole), { op: 'value', type: 'number', value: 2 }),
    means: ({ whole: one }) => (typeof one === 'number' ? one * 2 : null),
  },
]
const texts: readonly Meant<Scalar, Value>[] = [
  field(title),
  field(day),
  field(at),
  field(key),
  {
    written: call('lower', of(title)),
    means: ({ title: one }) => (typeof one === 'string' ? one.toLowerCase() : null),
  },
]
const GROUP = fc.oneof(
  fc.constantFrom(...numbers, ...texts, field(done)),
  fc.constantFrom(slot('hour'), slot('quarterHour'), slot('minute')),
  fc
    .tuple(fc.constantFrom(...UNITS), fc.option(fc.constantFrom(...ZONES), { nil: undefined }))
    .map(([unit, zone]) => truncated(unit, zone)),
)
const CONDITION = fc.constantFrom<Meant<Condition, boolean>[]>(
  { written: ALWAYS, means: () => true },
  {
    written: { op: 'gt', column: whole, value: 0 },
    means: ({ whole: one }) => typeof one === 'number' && one > 0,
  },
  { written: { op: 'eq', column: done, value: true }, means: ({ done: one }) => one === true },
  { written: { op: 'not', of: { op: 'null', column: title } }, means: ({ title: one }) => one !== null },
)

interface Asked {
  readonly plan: AggregatePlan
  readonly where: (row: Row) => boolean
  readonly groups: readonly ((row: Row) => Value)[]
  readonly measures: readonly {
    readonly fn: Measure['fn']
    readonly of: ((row: Row) => Value) | undefined
    readonly where: (row: Row) => boolean
  }[]
  readonly having: (row: Row) => boolean
}

const MEASURE = fc.record({
  by: fc.oneof(
    fc.record({
      fn: fc.constantFrom('sum' as const, 'avg' as const, 'min' as const, 'max' as const),
      of: fc.constantFrom(...numbers),
    }),
    fc.record({
      fn: fc.constantFrom('count' as const, 'countDistinct' as const, 'min' as const, 'max' as const),
      of: fc.constantFrom(...texts),
    }),
    fc.record({ fn: fc.constant('count' as const), of: fc.constant(undefined) }),
  ),
  where: CONDITION,
})

const PLAN: fc.Arbitrary<Asked> = fc
  .record({
    where: CONDITION,
    groups: fc.array(GROUP, { maxLength: 2 }),
    measures: fc.array(MEASURE, { minLength: 1, maxLength: 4 }),
    least: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
    order: fc.array(fc.record({ at: fc.nat(), descending: fc.boolean() }), { maxLength: 2 }),
    limit: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
    offset: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  })
  .map(({ where, groups, measures, least, order, limit, offset }) => {
    const by = Object.fromEntries(groups.map(({ written }, number) => [`g.${number}`, written]))
    const made = Object.fromEntries(
      measures.map(({ by: { fn, of: scalar }, where: counted }, number): [string, Measure] => {
        const narrowed = counted.written === ALWAYS ? {} : { where: counted.written }
        if (scalar === undefined) return [`xmin${number || ''}`, { fn: 'count', ...narrowed }]
        return [`xmin${number || ''}`, { fn, scalar: scalar.written, ...narrowed }]
      }),
    )
    const names = [...Object.keys(by), ...Object.keys(made)]
    const counted = answerOf({ by, measures: made }).get('xmin')
    const having: Condition | undefined =
      least === undefined || counted?.kind !== 'integer'
        ? undefined
        : { op: 'gte', column: counted, value: least }
    const distinct = [...new Map(order.map((one) => [names[one.at % names.length]!, one])).entries()]
    return {
      plan: plan({
        where: where.written,
        by,
        measures: made,
        ...(having && { having }),
        order: distinct.map(([name, { descending }]) => ({ by: name, descending })),
        ...(limit !== undefined && { limit }),
        ...(offset !== undefined && { offset }),
      }),
      where: where.means,
      groups: groups.map(({ means }) => means),
      measures: measures.map(({ by: { fn, of: scalar }, where: narrowed }) => ({
        fn,
        of: scalar?.means,
        where: narrowed.means,
      })),
      having: ({ xmin }) =>
        having === undefined || least === undefined || (typeof xmin === 'number' && xmin >= least),
    }
  })

/** What a plan comes to, by its meaning. */
function evaluate({ plan: asked, where, groups, measures, having }: Asked, table: readonly Row[]): Row[] {
  const found = new Map<string, { keys: Value[]; rows: Row[] }>()
  for (const row of table.filter(where)) {
    const keys = groups.map((means) => means(row))
    const name = JSON.stringify(keys)
    const group = found.get(name) ?? { keys, rows: [] }
    group.rows.push(row)
    found.set(name, group)
  }
  if (groups.length === 0 && found.size === 0) found.set('', { keys: [], rows: [] })
  const names = [...Object.keys(asked.by), ...Object.keys(asked.measures)]
  const rows = [...found.values()].map(({ keys, rows: members }) => {
    const worth = measures.map(({ fn, of: means, where: counts }) => {
      const values = members.filter(counts).map((row) => (means ? means(row) : 1))
      return measured(
        fn,
        values.filter((value) => value !== null),
      )
    })
    return Object.fromEntries([...keys, ...worth].map((value, number) => [names[number]!, value]))
  })
  const order = [...(asked.order ?? []), ...Object.keys(asked.by).map((by) => ({ by, descending: false }))]
  const sorted = rows.filter(having).toSorted((a, b) => {
    for (const { by, descending } of order) {
      const sign = compare(a[by] ?? null, b[by] ?? null)
      if (sign !== 0) return descending ? -sign : sign
    }
    return 0
  })
  const from = asked.offset ?? 0
  return sorted.slice(from, asked.limit === undefined ? undefined : from + asked.limit)
}

function measured(fn: Measure['fn'], values: readonly Value[]): Value {
  if (fn === 'count') return values.length
  if (fn === 'countDistinct') return new Set(values).size
  if (values.length === 0) return null
  if (fn === 'min') return values.toSorted(compare)[0]!
  if (fn === 'max') return values.toSorted(compare).at(-1)!
  const total = values.reduce<bigint>((sum, value) => sum + unitsOf(Number(value)), 0n)
  if (fn === 'sum') return double(total, DIGITS)
  const divisor = BigInt(values.length) * 10n ** BigInt(DIGITS - 6)
  const size = total < 0n ? -total : total
  const rounded = size / divisor + ((size % divisor) * 2n >= divisor ? 1n : 0n)
  return double(total < 0n ? -rounded : rounded, 6)
}

/** More than any double has after its point. */
const DIGITS = 400

function unitsOf(number: number): bigint {
  const [mantissa = '', exponent = '0'] = String(number).split('e')
  const [before = '', after = ''] = mantissa.split('.')
  return BigInt(before + after) * 10n ** BigInt(DIGITS + Number(exponent) - after.length)
}

function double(units: bigint, digits: number): number | null {
  const number = Number(`${units}e-${digits}`)
  return Number.isFinite(number) ? number : null
}

/** Null first, text by code point. */
function compare(a: Value, b: Value): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(String(b)))
  return Number(a) - Number(b)
}

/** Told by the clocks of the zone alone. */
function startOf(time: number, unit: (typeof UNITS)[number], timeZone: string): string {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  const local = new Date(`${clock.format(time).replace(' ', 'T')}Z`)
  if (unit === 'hour') {
    const past = local.getUTCMinutes() * 60_000 + local.getUTCSeconds() * 1000
    return new Date(Math.floor(time / 1000) * 1000 - past).toISOString()
  }
  const date = new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()))
  if (unit === 'week') while (date.getUTCDay() !== 1) date.setUTCDate(date.getUTCDate() - 1)
  if (unit === 'month' || unit === 'quarter' || unit === 'year') date.setUTCDate(1)
  if (unit === 'quarter') while (date.getUTCMonth() % 3 !== 0) date.setUTCMonth(date.getUTCMonth() - 1)
  if (unit === 'year') date.setUTCMonth(0)
  return date.toISOString().slice(0, 10)
}
