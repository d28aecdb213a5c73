import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import { readFileSync } from 'node:fs'
import { silentLogger } from '@svc/kernel'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { startStore, STORES } from '../../../../test/kit/stores.ts'
import { Compiler } from '../compile/compiler.ts'
import type { Column, Store, Table, Transaction } from '../contract.ts'
import { Connection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { FileState } from './file-state.ts'
import { Writer } from './writer.ts'

const id: Column = { name: 'id', kind: 'integer', nullable: false }
const ROWS: Table = { name: 'row', columns: [id], primaryKey: [id], indexes: [], foreignKeys: [] }
const sqlite = STORES.find(({ name }) => name === 'sqlite') ?? STORES[0]!

let store: Store
let path: string
let stop: () => Promise<void>

beforeAll(async () => {
  const started = await startStore(sqlite)
  ;({ store, stop } = started)
  const { sqlite: section } = started.database.config()
  path = String(Object(section)['path'])
  await store.ensure([ROWS])
})
afterAll(() => stop())
afterEach(() => void vi.useRealTimers())
beforeEach(async () => {
  await store.transaction((tx) => tx.remove({ table: ROWS, where: { op: 'gte', column: id, value: 0 } }))
})

const add = (value: number) => store.transaction((tx) => tx.insert({ table: ROWS, values: { id: value } }))
const total = () => store.count({ table: ROWS, where: { op: 'always' } })

/** From now on time passes where a test says so. */
const stopClock = () =>
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })

/** How many commits the write-ahead log holds: the frames that end one carry the size of the database. */
function commits(): number {
  const log = readFileSync(`${path}-wal`)
  const salt = log.subarray(16, 24)
  let found = 0
  for (let at = 32; at + 24 <= log.length; at += 24 + 4096) {
    if (log.subarray(at + 8, at + 16).equals(salt) && log.readUInt32BE(at + 4) > 0) found += 1
  }
  return found
}

test('a count sees what another process has written', async () => {
  await add(1)
  expect([await total(), await total()]).toEqual([1, 1])
  const other = new Database(path)
  other.prepare('insert into row values (2)').run()
  await turn()
  expect(await total()).toBe(2)
  other.close()
})

test('search finds the same rows after the file was packed', async () => {
  const text: Column = { name: 'text', kind: 'text', nullable: false }
  const name = { name: 'name', kind: 'text', nullable: false } as const
  const NOTES: Table = {
    name: 'note',
    columns: [name, text],
    primaryKey: [name],
    indexes: [{ name: 'note_search', columns: [text], unique: false, search: true }],
    foreignKeys: [],
  }
  await store.ensure([NOTES])
  const rows = Array.from({ length: 50 }, (_, at) => ({ name: `n${at}`, text: `number ${at} of fifty` }))
  await store.transaction(async (tx) => {
    await tx.insertRows({ table: NOTES, rows })
    await tx.remove({ table: NOTES, where: { op: 'lt', column: name, value: 'n3' } })
  })
  const other = new Database(path)
  other.exec('vacuum')
  other.close()
  const where = { op: 'contains', table: NOTES, columns: [text], text: 'number 42' } as const
  expect(await store.select({ table: NOTES, columns: [name], where, order: [] })).toEqual([{ name: 'n42' }])
})

test('many transactions that wait share few commits, and one that fails takes nobody along', async () => {
  const before = commits()
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, (_, index) =>
      store.transaction(async (tx) => {
        await tx.insert({ table: ROWS, values: { id: index } })
        if (index === 7) throw new Error('alone')
      }),
    ),
  )
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1)
  expect(await total()).toBe(49)
  expect(commits() - before).toBe(1)
})

test('a group is bounded', async () => {
  const before = commits()
  await Promise.all(Array.from({ length: 200 }, (_, index) => add(index)))
  expect(commits() - before).toBe(4)
})

test('reads see nothing of a group before its commit', async () => {
  const seen: number[] = []
  await Promise.all([
    add(1),
    store.transaction(async (tx) => {
      seen.push(await tx.count({ table: ROWS, where: { op: 'always' } }), await total())
    }),
  ])
  expect(seen).toEqual([1, 0])
})

test('a change of the schema shares its transaction with nobody', async () => {
  const order: string[] = []
  const write = (name: string, value: number) => add(value).then(() => order.push(name))
  await Promise.all([
    write('before', 1),
    store.define(async () => void order.push('define')),
    write('after', 2),
  ])
  expect(order).toEqual(['before', 'define', 'after'])
})

test('a writer waits for another process, and the process goes on meanwhile', async () => {
  const other = new Database(path)
  other.exec('begin immediate')
  let turns = 0
  const ticking = setInterval(() => (turns += 1), 10)
  const waiting = add(1)
  await delay(300)
  expect(await total()).toBe(0)
  other.exec('rollback')
  other.close()
  expect(await waiting).toBe(1)
  clearInterval(ticking)
  expect(turns).toBeGreaterThan(5)
})

test('a lock that is held too long is an UNAVAILABLE, and the next write works', async () => {
  const other = new Database(path)
  other.exec('begin immediate')
  vi.useFakeTimers({ toFake: ['performance'] })
  const refused = add(1).catch((error: unknown) => error)
  await delay(50)
  vi.advanceTimersByTime(5001)
  expect(await refused).toMatchObject({ code: 'UNAVAILABLE', status: 503 })
  other.exec('rollback')
  other.close()
  expect(await add(2)).toBe(1)
  expect(await total()).toBe(1)
})

test('a work that stands idle is undone, and the others go on', async () => {
  stopClock()
  let inner = Promise.resolve(0)
  const stuck = store.transaction(async (tx) => {
    await tx.insert({ table: ROWS, values: { id: 1 } })
    inner = add(3)
    await inner
  })
  const outcomes = Promise.allSettled([stuck, add(2)])
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  await vi.advanceTimersByTimeAsync(10_000)
  const [first, second] = await outcomes
  expect(await inner).toBe(1)
  expect(first).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } })
  expect(second.status).toBe('fulfilled')
  expect(await add(4)).toBe(1)
  expect(await store.count({ table: ROWS, where: { op: 'eq', column: id, value: 1 } })).toBe(0)
})

test('a work that goes on may take as long as it needs, refused writes and reads included', async () => {
  stopClock()
  const uses: ((tx: Transaction, at: number) => Promise<unknown>)[] = [
    (tx, at) => tx.insert({ table: ROWS, values: { id: at } }),
    (tx) => tx.count({ table: ROWS, where: { op: 'always' } }),
    (tx) => tx.savepoint(() => tx.insert({ table: ROWS, values: { id: 0 } })).catch(() => undefined),
  ]
  const outcome = store.transaction(async (tx) => {
    for (let at = 0; at < 9; at += 1) {
      await uses[at % uses.length]!(tx, at)
      await vi.advanceTimersByTimeAsync(9000)
    }
  })
  await expect(outcome).resolves.toBeUndefined()
  expect(await total()).toBe(3)
})

test('a writer that closes waits no longer for a work that goes on than for one that stands idle', async () => {
  stopClock()
  const connection = new Connection({ path, readonly: false, synchronous: 'normal' })
  const writer = new Writer(
    connection,
    new Compiler(sqliteDialect(new Set())),
    new FileState(path, silentLogger),
  )
  let seconds = 0
  const endless = writer.transaction(async (tx) => {
    for (; ; seconds += 1) {
      await tx.insert({ table: ROWS, values: { id: seconds } })
      await vi.advanceTimersByTimeAsync(1000)
    }
  })
  await Promise.all([expect(endless).rejects.toMatchObject({ code: 'UNAVAILABLE' }), writer.close()])
  expect(seconds).toBeLessThan(12)
  expect(await total()).toBe(0)
})

test('a group that SQLite gave up is refused as a whole', async () => {
  const options = { path, readonly: false, synchronous: 'normal' } as const
  const connection = new Connection(options)
  const writer = new Writer(
    connection,
    new Compiler(sqliteDialect(new Set())),
    new FileState(path, silentLogger),
  )
  const insert = (tx: Transaction, value: number) => tx.insert({ table: ROWS, values: { id: value } })
  const outcomes = await Promise.allSettled([
    writer.transaction((tx) => insert(tx, 1)),
    writer.transaction(async (tx) => {
      connection.run('rollback')
      await insert(tx, 2).catch(() => undefined)
    }),
    writer.transaction((tx) => insert(tx, 3)),
  ])
  expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'done'))).toEqual(
    Array.from({ length: 3 }, () => 'UNAVAILABLE'),
  )
  expect(await writer.transaction((tx) => insert(tx, 4))).toBe(1)
  await writer.close()
  await expect(writer.transaction((tx) => insert(tx, 5))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(await total()).toBe(1)
})
