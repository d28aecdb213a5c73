import fc from 'fast-check'

/** Clocks change in London on 29 March, and on Lord Howe, by half an hour, on 5 April; Kathmandu is 5:45 ahead. */
export const NOW = Date.parse('2026-04-08T10:20:00Z')
export const ZONES = ['UTC', 'Europe/London', 'Australia/Lord_Howe', 'Asia/Kathmandu'] as const
export const INTERVALS = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const
export type Interval = (typeof INTERVALS)[number]
export const FUNCTIONS = ['count', 'countDistinct', 'sum', 'avg', 'min', 'max'] as const
export type Fn = (typeof FUNCTIONS)[number]
/** Numbers by how many digits they are drawn with behind the point; halves, quarters and eighths of a float are exact. */
export const NUMBERS = { money: 2, rate: 4, whole: 0, ratio: 3 } as const
export type NumberName = keyof typeof NUMBERS
export const GROUPS = ['kind', 'flag', 'yes', 'day', 'whole', 'money', 'doubled', 'owner.name'] as const

export interface Item {
  readonly id: string
  readonly money: number | null
  readonly rate: number | null
  readonly whole: number | null
  readonly ratio: number | null
  readonly kind: string | null
  readonly flag: string | null
  readonly yes: boolean | null
  readonly day: string | null
  readonly at: string | null
  readonly time: string | null
  readonly ownerId: string | null
}

export const OWNERS = [
  '0190b3c4-0000-7000-8000-000000000001',
  '0190b3c4-0000-7000-8000-000000000002',
] as const
export const OWNER_NAMES: Readonly<Record<string, string>> = { [OWNERS[0]]: 'Ada', [OWNERS[1]]: 'ada' }

const DAY_MS = 86_400_000
/** Two out of three within days of the changes of clocks, the others within years. */
const moment = fc
  .oneof(
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 20 * DAY_MS }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 900 * DAY_MS }) },
  )
  .map((ms) => new Date(NOW - ms).toISOString())
const orNull = <T>(one: fc.Arbitrary<T>) => fc.option(one, { freq: 5 })
const decimal = (digits: number, most: number) =>
  orNull(fc.integer({ min: -most, max: most }).map((units) => units / 10 ** digits))

const item: fc.Arbitrary<Omit<Item, 'id'>> = fc.record({
  money: decimal(2, 99_999_999),
  rate: decimal(4, 9_999_999),
  whole: decimal(0, 4),
  ratio: orNull(fc.integer({ min: -400, max: 400 }).map((eighths) => eighths / 8)),
  kind: orNull(fc.constantFrom('a', 'B', 'b', 'é', 'e\u0301', '', '😀', '\uffee', 'a ')),
  flag: orNull(fc.constantFrom('red', 'blue')),
  yes: orNull(fc.boolean()),
  day: orNull(moment.map((at) => at.slice(0, 10))),
  at: orNull(moment),
  time: orNull(
    fc.integer({ min: 0, max: 86_399 }).map((s) => new Date(s * 1000).toISOString().slice(11, 19)),
  ),
  ownerId: orNull(fc.constantFrom(...OWNERS)),
})

/** Some records, with keys of their own: the same on every store. */
export const draw = (count: number, seed: number): readonly Item[] =>
  fc.sample(item, { numRuns: count, seed }).map((one, at) => ({
    id: `0190b3c4-${seed.toString(16).padStart(4, '0')}-7000-9000-${at.toString(16).padStart(12, '0')}`,
    ...one,
  }))

const metric = (value: string) =>
  `            - { label: ${JSON.stringify(value)}, value: ${JSON.stringify(value)} }`
const numbers = Object.keys(NUMBERS)
export const METRICS: readonly string[] = [
  'count(Item)',
  "count(Item, kind == 'a')",
  'countDistinct(Item.kind)',
  'countDistinct(Item.at)',
  ...numbers.flatMap((name) => FUNCTIONS.map((fn) => `${fn}(Item.${name})`)),
  ...['min', 'max'].flatMap((fn) => ['day', 'at', 'time'].map((name) => `${fn}(Item.${name})`)),
  'sum(Item.money, whole > 0)',
  "avg(Item.rate, yes and owner.name == 'Ada')",
  'count(some)',
  'sum(some.doubled)',
  'sum(Item.money) / count(Item)',
]
const tables = [
  ...GROUPS.map((name) => `groupBy: ${name}`),
  ...INTERVALS.flatMap((interval) =>
    ZONES.map((zone) => `groupBy: { column: at, interval: ${interval}, timezone: ${zone} }`),
  ),
  ...INTERVALS.map((interval) => `groupBy: { column: day, interval: ${interval} }`),
]
export const TABLES: readonly string[] = tables
const TOTALS = '{ money: sum, rate: avg, whole: count, ratio: sum, doubled: max, at: min }'
/** A report has 50 sections at most. */
const section = (table: string) =>
  `        - { title: '${table}', table: { view: items, ${table}, totals: ${TOTALS}, limit: 40 } }`
const widget = (name: string, keys: string) => `        ${name}: { type: ${keys} }`
const aggregate = (fn: Fn, field: string) => (fn === 'count' ? '' : `, aggregate: ${fn}, field: ${field}`)

export const DEFINITION = `
domain:
  name: figures
  version: '1'
  config: { timezone: Europe/London, currency: GBP }
  resources:
    Owner: { object: { name: string }, permissions: { list: ['*'], get: ['*'], create: ['*'] } }
    Item:
      object:
        money: money
        rate: { type: decimal, scale: 4 }
        whole: integer
        ratio: float
        kind: string
        flag: { type: string, enum: [red, blue] }
        yes: boolean
        day: date
        at: datetime
        time: time
        ownerId: uuid
      relationships: { owner: { type: belongsTo, target: Owner } }
      permissions: { list: ['*'], create: ['*'] }
  views:
    items:
      source: Item
      permissions: ['*']
      columns: [kind, flag, yes, day, whole, money, rate, ratio, at, time, owner.name, { name: doubled, computed: whole * 2 }]
      sort: [kind desc, money, whole]
    some: { source: Item, filter: money > 0, permissions: ['*'], columns: [kind, { name: doubled, computed: whole * 2 }] }
  reports:
    figures:
      permissions: ['*']
      sections:
        - metrics:
${METRICS.map(metric).join('\n')}
    tables:
      permissions: ['*']
      sections:
${tables.map(section).join('\n')}
    asked:
      permissions: ['*']
      parameters: [{ name: least, type: money, default: 0 }, { name: from, type: date, optional: true }]
      sections:
        - { table: { view: items, filter: money >= least and (from == null or day >= from), groupBy: flag, totals: ${TOTALS} } }
        - { metrics: [{ label: x, value: 'sum(Item.money, money >= least)' }] }
  dashboards:
    breakdowns:
      permissions: ['*']
      widgets:
${GROUPS.flatMap((name, at) =>
  FUNCTIONS.map((fn) =>
    widget(
      `${fn}${at}`,
      `breakdown, query: { source: Item, groupBy: ${name === 'doubled' ? 'whole' : name}${aggregate(fn, 'money')}, sort: ${at % 2 ? 'value desc' : 'key asc'} }`,
    ),
  ),
).join('\n')}
${ZONES.map(
  (zone, at) => `    series${at}:
      permissions: ['*']
      widgets:
${INTERVALS.flatMap((interval) =>
  FUNCTIONS.map((fn) =>
    widget(
      `${fn}_${interval}`,
      `timeSeries, query: { source: Item, dateField: at, interval: ${interval}, last: ${interval === 'hour' ? 490 : 30}, timezone: ${zone}${aggregate(fn, fn === 'avg' ? 'rate' : 'money')} }`,
    ),
  ),
).join('\n')}
        days: { type: timeSeries, query: { source: Item, dateField: day, interval: week, last: 20, timezone: ${zone} } }`,
).join('\n')}
`
