import { Temporal } from '@svc/automation/contract'
import { column, type Row, type SlotUnit } from '@svc/store/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { size } from '../../../../../test/kit/size.ts'
import { INTERVALS } from '../../aggregates/interval.ts'
import type { AggregateFunction } from '../../aggregates/measure.ts'
import { SLOTS } from './clocks.ts'
import { folded, foldOf } from './fold.ts'
import { windowOf } from './window.ts'

const at = column('at', 'datetime', true)
const day = column('day', 'date', true)
const n = column('n', 'decimal', true)
const RUNS = size('FOLD_RUNS', { smoke: 400, whole: 10_000 })
const HOUR = 3_600_000
const DAY = 24 * HOUR

const ZONES = [
  'UTC',
  'Europe/London',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'America/St_Johns',
  'America/Havana',
  'Asia/Beirut',
  'Pacific/Apia',
  'Pacific/Chatham',
]

interface Item {
  readonly at: number
  /** In hundredths. */
  readonly n: number | null
}

/** The beginning of the interval that an instant lies in, by a calendar that asks of each instant. */
function beginOf(instant: number, interval: (typeof INTERVALS)[number], zone: string): string | number {
  const local = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone)
  if (interval === 'hour') {
    const wall = instant + local.offsetNanoseconds / 1e6
    return wall - (wall % HOUR) - local.offsetNanoseconds / 1e6
  }
  const date = local.toPlainDate()
  if (interval === 'week') return date.subtract({ days: date.dayOfWeek - 1 }).toString()
  const [year, month, dayOfMonth] = date.toString().split('-') as [string, string, string]
  if (interval === 'year') return `${year}-01-01`
  if (interval === 'quarter')
    return `${year}-${['01', '04', '07', '10'][Math.floor((Number(month) - 1) / 3)]}-01`
  return interval === 'month' ? `${year}-${month}-01` : `${year}-${month}-${dayOfMonth}`
}

const known = (items: readonly Item[]): readonly number[] => items.flatMap(({ n }) => (n === null ? [] : [n]))

/** What a function comes to over items, plainly. */
function plain(fn: AggregateFunction, items: readonly Item[]): number | null {
  const ns = known(items)
  const sum = ns.reduce((one, other) => one + other, 0)
  switch (fn) {
    case 'count':
      return items.length
    case 'sum':
      return sum / 100
    case 'avg': {
      if (ns.length === 0) return null
      const millionths = (BigInt(Math.abs(sum)) * 20_000n + BigInt(ns.length)) / (2n * BigInt(ns.length))
      return (Number(millionths) / 1e6) * (sum < 0 ? -1 : 1) + 0
    }
    default:
      return ns.length === 0 ? null : Math[fn as 'min' | 'max'](...ns) / 100
  }
}

/** What a store answers for slots. */
function rowsOf(
  items: readonly Item[],
  fn: AggregateFunction,
  slotOf: (item: Item) => string,
): readonly Row[] {
  const slots = new Map<string, Item[]>()
  for (const item of items) slots.set(slotOf(item), [...(slots.get(slotOf(item)) ?? []), item])
  return [...slots].map(([slot, own]) => ({
    slot,
    value:
      fn === 'avg' || fn === 'sum' ? (known(own).length === 0 ? null : plain('sum', own)) : plain(fn, own),
    count: known(own).length,
  }))
}

const measureOf = (fn: AggregateFunction) =>
  ({
    fn,
    formula: fn === 'count' ? undefined : { kind: 'number', column: n, field: { compiled: { scale: 2 } } },
  }) as unknown as Parameters<typeof foldOf>[0]

const CASE = fc.record({
  zone: fc.constantFrom(...ZONES),
  interval: fc.constantFrom(...INTERVALS),
  last: fc.integer({ min: 1, max: 40 }),
  now: fc.integer({ min: Date.UTC(1985, 0), max: Date.UTC(2037, 0) }),
  fn: fc.constantFrom('count' as const, 'sum' as const, 'avg' as const, 'min' as const, 'max' as const),
  items: fc.array(
    fc.record({
      // How far back into the window; a few lie beside it.
      at: fc.double({ min: -0.05, max: 1.05, noNaN: true }),
      n: fc.option(fc.integer({ min: -1_000_000, max: 1_000_000 }), { freq: 5 }),
    }),
    { maxLength: 60 },
  ),
})
const LENGTH = { hour: HOUR, day: DAY, week: 7 * DAY, month: 30 * DAY, quarter: 91 * DAY, year: 365 * DAY }

describe('a series that is put together of slots', () => {
  it('equals a plain evaluation, for every zone, interval and point in time', () => {
    let whole = 0
    fc.assert(
      fc.property(CASE, ({ zone, interval, last, now, fn, items: spread }) => {
        const window = windowOf(at, { interval, zone }, last, now)
        const { slots } = window
        // Years of minutes are left to the store.
        fc.pre(slots !== undefined && slots.scalar.op === 'slot')
        if (slots === undefined || slots.scalar.op !== 'slot') return
        whole += 1
        const ms = SLOTS[slots.scalar.unit satisfies SlotUnit]
        const items = spread.map((one) => ({
          n: one.n,
          at: Math.floor(now - one.at * last * LENGTH[interval]),
        }))
        const fold = foldOf(measureOf(fn), fn === 'count' ? undefined : { op: 'column', column: n }, slots)!
        const rows =
          fn === 'avg' && 'value' in fold.measures && fold.measures['value']!.fn === 'avg'
            ? items.length === 0
              ? []
              : groupedWhole(items, ms)
            : rowsOf(items, fn, (item) => new Date(Math.floor(item.at / ms) * ms).toISOString())
        const nothing = plain(fn, [])
        const values = folded(rows, fold, slots, { count: last, nothing })
        const keys = keysOf(window.keys, interval)
        const ofKey = (key: string | number) => items.filter((one) => beginOf(one.at, interval, zone) === key)
        expect(values).toEqual(keys.map((key) => plain(fn, ofKey(key))))
        // It adds up to what lies in the window.
        const inside = items.filter((one) => keys.includes(beginOf(one.at, interval, zone))).length
        if (fn === 'count') expect(values!.reduce((sum: number, one) => sum + Number(one), 0)).toBe(inside)
      }),
      { numRuns: RUNS },
    )
    expect(whole).toBeGreaterThan((RUNS * 2) / 3)
  })

  it('of dates has them as they stand', () => {
    const window = windowOf(day, { interval: 'month', zone: 'Pacific/Apia' }, 2, Date.UTC(2026, 2, 31, 20))
    expect(window.keys).toEqual(['2026-03-01', '2026-04-01'])
    expect(
      ['2026-02-28', '2026-03-31', '2026-04-01', '2026-05-01'].map((one) => window.slots!.placeOf(one)),
    ).toEqual([undefined, 0, 1, undefined])
  })

  it('is left to the store where it would not be exact', () => {
    const { slots } = windowOf(at, { interval: 'day', zone: 'Europe/London' }, 30, Date.UTC(2026, 3, 1))
    const scalar = { op: 'column', column: n } as const
    expect(foldOf(measureOf('countDistinct'), scalar, slots!)).toBeUndefined()
    const unbounded = { fn: 'sum', formula: { kind: 'number', column: n, field: { compiled: {} } } }
    expect(foldOf(unbounded as never, scalar, slots!)).toBeUndefined()
    const fold = foldOf(measureOf('sum'), scalar, slots!)!
    expect(fold.of([{ value: 1e16 }, { value: 1 }])).toBeUndefined()
    expect(fold.of([{ value: 0.1 }, { value: 0.2 }, { value: null }])).toBe(0.3)
    // A year of minutes is too much, and before 1970 zones are told in seconds.
    const old = Date.UTC(1960, 0, 1)
    expect(windowOf(at, { interval: 'day', zone: 'Europe/London' }, 30, old).slots).toBeUndefined()
    expect(
      windowOf(at, { interval: 'year', zone: 'Asia/Kathmandu' }, 9, Date.UTC(2026, 0)).slots,
    ).toBeUndefined()
  })
})

const groupedWhole = (items: readonly Item[], ms: number): readonly Row[] => {
  const slots = new Map<number, Item[]>()
  for (const item of items) {
    const slot = Math.floor(item.at / ms) * ms
    slots.set(slot, [...(slots.get(slot) ?? []), item])
  }
  return [...slots].map(([slot, own]) => ({ slot: new Date(slot).toISOString(), value: plain('avg', own) }))
}

/** Keys as `beginOf` has them. */
const keysOf = (keys: readonly string[], interval: string): readonly (string | number)[] =>
  interval === 'hour' ? keys.map((key) => Date.parse(key)) : keys
