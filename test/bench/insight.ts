import { randomBytes } from 'node:crypto'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { type Config, createKernel, type Kernel, SYSTEM } from '@svc/kernel'
import { standardPlugins } from '@svc/server'
import { StoreCapability } from '@svc/store/contract'
import Database from 'better-sqlite3'
import { Client } from 'pg'
import type { TestFolder } from '../kit/server-process.ts'
import { OPEN_DATABASES } from './contest.ts'
import type { StoreName } from './store-name.ts'
import { measureTexts } from './texts.ts'

const ROWS = 100_000
const BULK = 5000
const CUSTOMERS = 500
const HOURS = 1000
const ROUNDS = 9
const WIDGETS = 12
const READERS = 8
/** What may be spent: times of what is written by hand, or of the list; milliseconds; statements. */
const GOALS = { report: 1.3, view: 1.3, delayMs: 50, statements: WIDGETS, keptMs: 1, series: 1.5 } as const

const counters = Array.from(
  { length: WIDGETS - 3 },
  (_, at) =>
    `        c${at}: { type: counter, query: { source: Item, filter: status == 's${at}', aggregate: sum, field: gross } }`,
).join('\n')
const DEFINITION = `
domain:
  name: insight
  version: '1'
  resources:
    Customer: { object: { name: string }, permissions: { list: ['*'], get: ['*'], create: ['*'] } }
    Item:
      object: { number: string, gross: money, status: string, at: datetime, note: text, customerId: uuid }
      relationships: { customer: { type: belongsTo, target: Customer, foreignKey: customerId } }
      permissions: { list: ['*'], get: ['*'], create: ['*'] }
  views:
    items: { source: Item, columns: [number, gross, status], permissions: ['*'] }
    some: { source: Item, filter: status == 's1', columns: [number, gross, status, customer.name], sort: number, permissions: ['*'] }
  reports:
    totals:
      permissions: ['*']
      sections: [{ table: { view: items, groupBy: status, totals: { gross: sum }, limit: 0 } }]
  dashboards:
    series:
      permissions: ['*']
      widgets:
        hours: { type: timeSeries, query: { source: Item, dateField: at, interval: hour, last: ${HOURS}, timezone: Europe/London } }
    twelve:
      permissions: ['*']
      widgets: &twelve
        groups: { type: breakdown, query: { source: Item, groupBy: status } }
        days: { type: timeSeries, query: { source: Item, dateField: at, interval: day, timezone: Europe/London } }
        rows: { type: table, query: { view: items } }
${counters}
    kept:
      permissions: ['*']
      refresh: 1h
      widgets: *twelve
`

type Run = (name: string, input?: unknown) => Promise<any>

/** The same database as somebody has it who writes SQL by hand. */
interface ByHand {
  all(sql: string): Promise<unknown>
  close(): Promise<void>
}

/** Measures what reports, views and dashboards cost over many rows. */
export async function measureInsight(folder: TestFolder, store: StoreName): Promise<void> {
  const databases = await OPEN_DATABASES[store](folder)
  const config: Config = {
    ...databases.config,
    rest: { port: 0 },
    auth: { jwt: { secret: randomBytes(32).toString('hex') } },
    domain: { bulk_limit: BULK },
    management: { socket: false },
  }
  const kernel = createKernel({ config, plugins: standardPlugins(config) })
  await kernel.start()
  const byHand = await openByHand(config)
  try {
    const run = kernel.callAs(SYSTEM) as Run
    await run('svc.domain.submit', { content: DEFINITION })
    await fill(run)
    await byHand.all('analyze')
    console.log(`insight over ${ROWS} rows on ${store}`)
    await measureReport(run, byHand)
    await measureView(run)
    await measureDelay(run)
    await measureDashboard(run, kernel)
    await measureSeries(run, byHand, store)
  } finally {
    await byHand.close()
    await kernel.stop()
    await databases.close()
  }
  await measureTexts(folder, store)
}

async function openByHand({ sqlite, postgres }: Config): Promise<ByHand> {
  if (postgres !== undefined) {
    const client = new Client((postgres as { readonly conninfo: string }).conninfo)
    await client.connect()
    return { all: async (sql) => (await client.query(sql)).rows, close: () => client.end() }
  }
  const database = new Database((sqlite as { readonly path: string }).path)
  return {
    all: async (sql) => {
      const statement = database.prepare(sql)
      return statement.reader ? statement.all() : statement.run()
    },
    close: async () => void database.close(),
  }
}

async function fill(run: Run): Promise<void> {
  const names = Array.from({ length: CUSTOMERS }, (_, at) => ({ name: `customer ${at}` }))
  await run('svc.insight.customer.bulk-create', { data: { items: names } })
  const { items } = await run('svc.insight.customer.list', { query: { limit: String(CUSTOMERS) } })
  const ids: string[] = items.map(({ id }: { readonly id: string }) => id)
  const [now, note] = [Date.now(), 'A note of the length that makes a row half a kilobyte. '.repeat(6)]
  const item = (at: number) => ({
    number: `I${at}`,
    gross: (at % 9973) / 100,
    status: `s${at % 20}`,
    // Spread over the window, in no order.
    at: new Date(now - ((at * 7919) % (HOURS * 3600)) * 1000).toISOString(),
    note,
    customerId: ids[at % ids.length],
  })
  for (let from = 0; from < ROWS; from += BULK) {
    const items = Array.from({ length: BULK }, (_, more) => item(from + more))
    await run('svc.insight.item.bulk-create', { data: { items } })
  }
}

const TABLE = 'insight_item'

async function measureReport(run: Run, byHand: ByHand): Promise<void> {
  const [ours, theirs] = await compared(
    () => run('svc.insight.reports.totals', { query: {} }),
    async () => {
      await byHand.all(`select count(*), sum(gross) from ${TABLE}`)
      await byHand.all(`select status, count(*), sum(gross) from ${TABLE} group by status order by status`)
    },
  )
  tell('report by group with totals', ours, theirs, 'by hand', GOALS.report)
}

async function measureView(run: Run): Promise<void> {
  const query = { limit: '20', page: '1' }
  const [ours, theirs] = await compared(
    () => run('svc.insight.views.some', { query }),
    () =>
      run('svc.insight.item.list', {
        query: { ...query, 'filter[status]': 's1', include: 'customer', sort: 'number' },
      }),
  )
  tell('page of a view', ours, theirs, 'the list', GOALS.view)
}

/** What others wait for while reports run: how late the process gets to them. */
async function measureDelay(run: Run): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await Promise.all(Array.from({ length: READERS }, () => run('svc.insight.reports.totals', { query: {} })))
  delay.disable()
  const p99 = delay.percentile(99) / 1e6
  console.log(
    `  ${READERS} reports at once              p99 of the event loop's delay ${p99.toFixed(1)} ms (goal ${GOALS.delayMs} ms)`,
  )
}

async function measureDashboard(run: Run, kernel: Kernel): Promise<void> {
  const store = kernel.get(StoreCapability)
  let statements = 0
  // The service has statements of its own meanwhile.
  const counting =
    <P extends { readonly table: { readonly name: string } }, T>(of: (plan: P) => T) =>
    (plan: P): T => {
      if (/^insight_[a-z]/.test(plan.table.name)) statements += 1
      return of.call(store, plan)
    }
  const { select, aggregate, count } = store
  Object.assign(store, { select: counting(select), aggregate: counting(aggregate), count: counting(count) })
  await run('svc.insight.dashboards.twelve', {})
  console.log(`  dashboard of ${WIDGETS} widgets         ${statements} statements (goal ${GOALS.statements})`)
  statements = 0
  const { computedAt } = await run('svc.insight.dashboards.kept', {})
  const [asked, times] = [statements, 101]
  const kept = await median(times, async () => {
    const answer = await run('svc.insight.dashboards.kept', {})
    if (answer.computedAt !== computedAt || statements !== asked) throw new Error('nothing was kept')
  })
  Object.assign(store, { select, aggregate, count })
  console.log(`  its kept answer                 ${kept.toFixed(3)} ms (goal ${GOALS.keptMs} ms)`)
}

async function measureSeries(run: Run, byHand: ByHand, store: StoreName): Promise<void> {
  const from = new Date(Date.now() - HOURS * 3_600_000).toISOString()
  const hour = store === 'sqlite' ? 'substr(at, 1, 13)' : `date_trunc('hour', at)`
  const [ours, theirs] = await compared(
    () => run('svc.insight.dashboards.series', {}),
    () => byHand.all(`select ${hour}, count(*) from ${TABLE} where at >= '${from}' group by 1`),
  )
  tell(`series of ${HOURS} hours`, ours, theirs, 'the bare group-by', GOALS.series)
}

function tell(what: string, ours: number, theirs: number, other: string, goal: number): void {
  console.log(
    `  ${what.padEnd(30)}  ${ours.toFixed(1)} ms, ${other} ${theirs.toFixed(1)} ms: ${(ours / theirs).toFixed(2)} (goal ${goal})`,
  )
}

/** The medians of both, which take turns. */
async function compared(
  ours: () => Promise<unknown>,
  theirs: () => Promise<unknown>,
): Promise<readonly [number, number]> {
  const times: [number[], number[]] = [[], []]
  await ours()
  await theirs()
  for (let round = 0; round < ROUNDS; round += 1) {
    times[0].push(await timed(ours))
    times[1].push(await timed(theirs))
  }
  return [middle(times[0]), middle(times[1])]
}

async function median(rounds: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) times.push(await timed(work))
  return middle(times)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const middle = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
