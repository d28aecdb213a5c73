import {
  type Action,
  type Answer,
  type Caller,
  createKernel,
  definePlugin,
  errors,
  type Inbound,
  silentLogger,
  systemEnvironment,
} from '@svc/kernel'
import {
  type Condition,
  type Row,
  type Store,
  StoreCapability,
  type Transaction,
  type Value,
} from '@svc/store/contract'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { audit } from './index.ts'

const ann: Caller = { kind: 'user', id: '1', username: 'ann', email: null, roles: ['admin'], claims: {} }
const START = Date.UTC(2026, 0, 1)

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** A store of one table in memory that can be taken away, and loses the answer to a commit when told. */
function memoryStore() {
  const rows = new Map<string, Row>()
  const commits: number[] = []
  const state = { isAway: false, losesAnswer: false, commits }
  const unused = () => Promise.reject(new Error('not used here'))
  const transaction = (written: Row[]): Transaction => ({
    insert: unused,
    append: unused,
    insertRows: async ({ rows }) => written.push(...rows),
    select: unused,
    count: unused,
    aggregate: unused,
    claim: unused,
    update: unused,
    updateRows: unused,
    remove: unused,
    exclusiveLock: unused,
    savepoint: unused,
    afterCommit: () => undefined,
  })
  const store: Store = {
    name: 'memory',
    dialect: 'memory',
    features: new Set(),
    wanting: new Map(),
    compareGeometries: () => undefined,
    count: unused,
    aggregate: unused,
    stream: () => {
      throw new Error('not used here')
    },
    define: unused,
    catalog: unused,
    explain: () => [],
    scrub: unused,
    size: unused,
    state: unused,
    get journal() {
      return store
    },
    ensure: async () => undefined,
    async transaction(work) {
      if (state.isAway) throw errors.UNAVAILABLE()
      const written: Row[] = []
      const result = await work(transaction(written))
      for (const row of written) if (!rows.has(String(row['id']))) rows.set(String(row['id']), row)
      state.commits.push(written.length)
      if (!state.losesAnswer) return result
      state.losesAnswer = false
      throw errors.UNAVAILABLE()
    },
    async select({ where, limit = Infinity, offset = 0 }) {
      if (state.isAway) throw errors.UNAVAILABLE()
      const key = (row: Row) => `${row['timestamp']} ${row['id']}`
      const found = [...rows.values()].filter((row) => holds(where, row))
      return found.sort((a, b) => (key(a) < key(b) ? 1 : -1)).slice(offset, offset + limit)
    },
  }
  /** The actions of the requests that are written, in the order in which they are. */
  const written = () =>
    [...rows.values()].flatMap(({ action, earlier }) =>
      Array.from({ length: 1 + (Array.isArray(earlier) ? earlier.length : 0) }, () => action),
    )
  return { store, state, rows: () => [...rows.values()], written }
}

function holds(where: Condition, row: Row): boolean {
  if (where.op === 'always') return true
  if (where.op === 'and') return where.of.every((part) => holds(part, row))
  if (where.op === 'or') return where.of.some((part) => holds(part, row))
  if (where.op !== 'eq' && where.op !== 'gt' && where.op !== 'lt' && where.op !== 'lte')
    throw new Error(`no '${where.op}' here`)
  const value: Value = row[where.column.name] ?? null
  if (value === null) return false
  if (where.op === 'eq') return value === where.value
  if (where.op === 'lte') return value <= where.value
  return where.op === 'gt' ? value > where.value : value < where.value
}

/** A kernel with this plugin, on a clock that moves by a second with every request. */
async function start() {
  const memory = memoryStore()
  const clock = { now: START }
  const events: [string, Record<string, unknown>][] = []
  const note = (fields: object, event: string) => void events.push([event, { ...fields }])
  const log = { ...silentLogger, error: note, info: note, child: () => log }
  const caller = { now: ann }
  const provider = definePlugin({
    name: 'memory',
    phase: 'store',
    provides: StoreCapability,
    setup: () => memory.store,
  })
  const guard = definePlugin({
    name: 'guard',
    phase: 'auth',
    setup({ pipeline }) {
      pipeline.fill('authenticate', (exchange) => void (exchange.caller = caller.now))
      pipeline.fill('authorize', ({ action, caller: { roles } }) => {
        const { access } = action
        if (access !== 'record' && ['*', ...roles].some((role) => access.includes(role))) return
        throw errors.FORBIDDEN()
      })
    },
  })
  const env = { ...systemEnvironment, now: () => clock.now }
  const kernel = createKernel({ plugins: [provider, guard, audit], env, log, environment: 'development' })
  await kernel.start()
  onTestFinished(() => kernel.stop())

  const run = (action: Action, more: Partial<Inbound> = {}) => {
    clock.now += 1000
    return kernel.pipeline.run(action, {
      id: 'r',
      transport: 'rest',
      remote: '192.0.2.1',
      params: {},
      query: {},
      meta: () => undefined,
      signal: new AbortController().signal,
      ...more,
    })
  }
  const list = async (query: Record<string, string> = {}, prefer?: string) =>
    bodyOf(await run(kernel.actions.find('admin.audit.list')!, { query, meta: () => prefer }))
  return { ...memory, kernel, run, list, caller, events }
}

const bodyOf = ({ status, body }: Answer) => ({ ...JSON.parse(String(body)), code: status })
const action = (name: string, more: Partial<Action> = {}): Action => ({
  name,
  access: ['*'],
  handle: () => null,
  ...more,
})

describe('a record', () => {
  it('tells who ran what from where, how it ended and how long it took', async () => {
    const { run, list } = await start()
    await run(action('svc.shop.order.list'))
    expect((await list()).data).toEqual({
      items: [
        {
          id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
          username: 'ann',
          action: 'svc.shop.order.list',
          transport: 'rest',
          remoteAddr: '192.0.2.1',
          statusCode: 200,
          durationMs: expect.any(Number),
          timestamp: '2026-01-01T00:00:01.000Z',
        },
      ],
      count: 1,
    })
  })

  it('has the status of an error, an unexpected one too', async () => {
    const { run, list } = await start()
    await run(action('a', { handle: () => Promise.reject(errors.CONFLICT()) }))
    await run(action('b', { handle: () => Promise.reject(new Error('boom')) }))
    const { items } = (await list()).data
    expect(items.map(({ statusCode }: { statusCode: number }) => statusCode)).toEqual([500, 409])
  })

  it('names nobody for an anonymous caller', async () => {
    const { run, list, caller } = await start()
    caller.now = { ...ann, kind: 'anonymous', username: null }
    await run(action('a'))
    caller.now = ann
    expect((await list()).data.items[0].username).toBeNull()
  })

  it('is not made where an earlier step refused, nor where the action asks for none', async () => {
    const { run, list } = await start()
    await run(action('a', { access: ['nobody'] }))
    await run(action('b', { notes: { audit: false } }))
    expect((await list()).data.items).toEqual([])
  })

  it('with an address that no store keeps does not hold up the others', async () => {
    const { run, list } = await start()
    await run(action('a'), { remote: 'x\0y' })
    expect((await list()).data.items).toMatchObject([{ action: 'a', remoteAddr: null }])
  })
})

describe('writing', () => {
  it('happens behind the answer, for many requests at once', async () => {
    const { run, rows, state } = await start()
    for (let i = 0; i < 20; i++) await run(action(`a${i}`))
    expect(rows()).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(100)
    expect(rows()).toHaveLength(20)
    expect(state.commits).toEqual([20])
  })

  it('takes one row for requests that differ in their times alone', async () => {
    const { run, rows, caller, list } = await start()
    for (let i = 0; i < 3; i++) await run(action('a'))
    await run(action('a', { handle: () => Promise.reject(errors.CONFLICT()) }))
    await run(action('a'), { remote: '192.0.2.2' })
    await run(action('a'), { transport: 'socket' })
    caller.now = { ...ann, username: null }
    await run(action('a'))
    caller.now = { ...ann, username: '' }
    await run(action('a'))
    caller.now = ann
    await run(action('a'))
    await vi.advanceTimersByTimeAsync(100)
    expect(rows().map(({ earlier }) => earlier)).toEqual([
      [
        [0, 8000, expect.any(Number)],
        [1, 7000, expect.any(Number)],
        [2, 6000, expect.any(Number)],
      ],
      null,
      null,
      null,
      null,
      null,
    ])
    const { items } = (await list()).data
    const seconds = items.map(({ timestamp }: { timestamp: string }) => Number(timestamp.slice(17, 19)))
    expect(seconds).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1])
    const ids = items.map(({ id }: { id: string }) => id)
    expect(new Set(ids).size).toBe(9)
    expect(ids).toEqual(ids.toSorted().toReversed())
  })

  it('takes another row for those that came a minute or more before', async () => {
    const { run, rows, list } = await start()
    for (let i = 0; i < 130; i++) await run(action('a'))
    await vi.advanceTimersByTimeAsync(100)
    const spans = rows().map(({ timestamp, earliest }) => [String(earliest), String(timestamp)])
    expect(spans).toEqual([
      ['2026-01-01T00:00:01.000Z', '2026-01-01T00:00:59.000Z'],
      ['2026-01-01T00:01:00.000Z', '2026-01-01T00:01:59.000Z'],
      ['2026-01-01T00:02:00.000Z', '2026-01-01T00:02:10.000Z'],
    ])
    const within = await list({ after: '2026-01-01T00:00:58Z', before: '2026-01-01T00:01:02Z' })
    expect(within.data.items.map(({ timestamp }: { timestamp: string }) => timestamp.slice(14, 19))).toEqual([
      '01:01',
      '01:00',
      '00:59',
    ])
    expect((await list({ before: '9999-12-31T23:59:59Z', limit: '500' })).data.count).toBe(131)
  })

  it('does not wait where 500 requests do', async () => {
    const { run, state } = await start()
    for (let i = 0; i < 501; i++) await run(action(`a${i}`))
    await vi.advanceTimersByTimeAsync(0)
    expect(state.commits).toEqual([500])
    await vi.advanceTimersByTimeAsync(100)
    expect(state.commits).toEqual([500, 1])
  })

  it('is complete when the server has stopped', async () => {
    const { run, rows, written, kernel } = await start()
    for (let i = 0; i < 1_100; i++) await run(action('a'))
    await kernel.stop()
    expect(written()).toHaveLength(1_100)
    expect(rows().length).toBeLessThan(30)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('goes on by itself when the store is back, and answers stay quick meanwhile', async () => {
    const { run, rows, state, events } = await start()
    state.isAway = true
    expect((await run(action('a'))).status).toBe(200)
    await vi.advanceTimersByTimeAsync(20_000)
    await run(action('b'))
    expect(rows()).toHaveLength(0)
    state.isAway = false
    await vi.advanceTimersByTimeAsync(5_000)
    expect(rows().map((row) => row['action'])).toEqual(['a', 'b'])
    const names = events.map(([name]) => name)
    expect(names.filter((name) => name === 'audit.write_failed').length).toBeLessThan(12)
    expect(names.at(-1)).toBe('audit.write_resumed')
  })

  it('writes a request once where the answer to the commit was lost, whatever came meanwhile', async () => {
    const { run, written, state } = await start()
    state.losesAnswer = true
    await run(action('a'))
    await vi.advanceTimersByTimeAsync(100)
    await run(action('a'))
    await vi.advanceTimersByTimeAsync(5_000)
    expect(state.commits).toEqual([1, 1, 1])
    expect(written()).toEqual(['a', 'a'])
  })

  it('drops the oldest 500 beyond 10,000 and says so', async () => {
    const { run, written, state, events } = await start()
    state.isAway = true
    for (let i = 0; i < 10_500; i++) await run(action(`a${i}`))
    expect(events.filter(([name]) => name === 'audit.requests_dropped')).toHaveLength(1)
    state.isAway = false
    await vi.advanceTimersByTimeAsync(10_000)
    expect(written()).toHaveLength(10_000)
    expect(written()[0]).toBe('a500')
    expect(events.at(-1)).toEqual(['audit.write_resumed', { dropped: 500 }])
  })

  it('is tried again at a stop', async () => {
    const { run, rows, state, kernel, events } = await start()
    state.losesAnswer = true
    await run(action('a'))
    await kernel.stop()
    expect(rows()).toHaveLength(1)
    expect(events.map(([name]) => name)).not.toContain('audit.requests_lost')
  })

  it('tells the log what a stop without a store loses', async () => {
    const { run, state, kernel, events } = await start()
    state.isAway = true
    await run(action('a'))
    await kernel.stop()
    expect(events.at(-1)).toEqual(['audit.requests_lost', { lost: 1 }])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('the listing', () => {
  const actionsOf = (body: { data: { items: { action: string }[] } }) =>
    body.data.items.map(({ action }) => action)

  it('shows every request that was answered before it, the newest first', async () => {
    const { run, list } = await start()
    for (const name of ['a', 'b', 'c']) await run(action(name))
    expect(actionsOf(await list())).toEqual(['c', 'b', 'a'])
    expect(actionsOf(await list())).toEqual(['admin.audit.list', 'c', 'b', 'a'])
  })

  it('shows more than one batch of requests that wait', async () => {
    const { run, list, written } = await start()
    for (let i = 0; i < 1_200; i++) await run(action('a'))
    expect((await list({ limit: '500' })).data.count).toBe(500)
    expect(written()).toHaveLength(1_200)
  })

  it('is narrowed by user, action, status and time', async () => {
    const { run, list, caller } = await start()
    await run(action('a'))
    caller.now = { ...ann, username: 'bob' }
    await run(action('b'))
    await run(action('c', { handle: () => Promise.reject(errors.NOT_FOUND()) }))
    caller.now = ann
    expect(actionsOf(await list({ username: 'bob' }))).toEqual(['c', 'b'])
    expect(actionsOf(await list({ action: 'a' }))).toEqual(['a'])
    expect(actionsOf(await list({ status_code: '404' }))).toEqual(['c'])
    expect(
      actionsOf(await list({ after: '2026-01-01T00:00:01Z', before: '2026-01-01T01:00:03+01:00' })),
    ).toEqual(['b'])
    expect(actionsOf(await list({ username: 'bob', status_code: '200' }))).toEqual(['b'])
  })

  it('has pages; a limit out of range is brought into it', async () => {
    const { run, list } = await start()
    for (let i = 0; i < 510; i++) await run(action(`a${i}`))
    expect(actionsOf(await list({ limit: '2', offset: '1' }))).toEqual(['a508', 'a507'])
    expect((await list({ limit: '0' })).data.count).toBe(1)
    expect((await list({ limit: '-5' })).data.count).toBe(1)
    expect((await list({ limit: '9999' })).data.count).toBe(500)
    expect((await list()).data.count).toBe(100)
    expect((await list({ offset: '-1' })).data.count).toBe(100)
  })

  it.each([
    { status_code: 'abc' },
    { status_code: '200.5' },
    { status_code: '' },
    { status_code: '9'.repeat(400) },
    { limit: 'ten' },
    { limit: '1e3' },
    { offset: '0x1' },
    { after: 'yesterday' },
    { after: '2026-02-30T00:00:00Z' },
    { before: '2026-01-01T00:00:00' },
    { after: '0000-01-01T00:00:00Z' },
    { after: '0001-01-01T00:00:00+01:00' },
    { before: '9999-12-31T23:59:59-01:00' },
  ])('refuses %j with INVALID_QUERY', async (query) => {
    const { list } = await start()
    const { code, error_code, error_message } = await list(query)
    expect({ code, error_code }).toEqual({ code: 400, error_code: 'INVALID_QUERY' })
    expect(error_message).toContain(Object.keys(query)[0])
  })

  it('warns of a query parameter that it does not know, and refuses it in strict handling', async () => {
    const { list } = await start()
    const query = { user: 'ann', limit: '5' }
    expect(await list(query)).toMatchObject({
      status: 'ok',
      warnings: [
        { rule: 'ignored', severity: 'info', regulation: null, message: expect.stringContaining("'user'") },
      ],
    })
    expect(await list(query, 'respond-async, handling=strict')).toMatchObject({
      error_code: 'INVALID_QUERY',
      error_message: expect.stringContaining("'user'"),
    })
  })

  it('is for admins', async () => {
    const { list, caller } = await start()
    caller.now = { ...ann, roles: ['user'] }
    expect((await list()).error_code).toBe('FORBIDDEN')
  })

  it('answers 503 while the store is away', async () => {
    const { list, run, state } = await start()
    await run(action('a'))
    state.isAway = true
    expect((await list()).error_code).toBe('UNAVAILABLE')
  })
})
