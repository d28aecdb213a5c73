import { setImmediate as turn } from 'node:timers/promises'
import type { Arrival } from '@svc/kernel'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startStore, STORES } from '../../../../test/kit/stores.ts'
import type { Column, Store, Table } from '../contract.ts'

const id: Column = { name: 'id', kind: 'integer', nullable: false }
const ROWS: Table = { name: 'row', columns: [id], primaryKey: [id], indexes: [], foreignKeys: [] }
const sqlite = STORES.find(({ name }) => name === 'sqlite') ?? STORES[0]!
const ALL = { op: 'always' } as const

let store: Store
let other: Database.Database
let stop: () => Promise<void>

beforeAll(async () => {
  const started = await startStore(sqlite)
  ;({ store, stop } = started)
  await store.ensure([ROWS])
  other = new Database(String(Object(started.database.config()['sqlite'])['path']))
})
afterAll(async () => {
  other.close()
  await stop()
})
beforeEach(async () => {
  await store.transaction((tx) => tx.remove({ table: ROWS, where: { op: 'gte', column: id, value: 0 } }))
  await turn()
})

const add = (value: number) => store.transaction((tx) => tx.insert({ table: ROWS, values: { id: value } }))
const addElsewhere = (value: number) => other.prepare('insert into row values (?)').run(value)
const rows = async () => (await store.select({ table: ROWS, columns: [id], where: ALL, order: [] })).length
const total = () => store.count({ table: ROWS, where: ALL })

test('a read sees what another process has written a moment before, in the same turn too', async () => {
  await add(1)
  expect([await rows(), await total()]).toEqual([1, 1])
  addElsewhere(2)
  expect([await rows(), await total()]).toEqual([2, 2])
})

test('a read sees what this process has committed before, in the same turn too', async () => {
  await store.transaction(async (tx) => {
    expect([await rows(), await rows(), await total()]).toEqual([0, 0, 0])
    await tx.insert({ table: ROWS, values: { id: 1 } })
    expect([await rows(), await total()]).toEqual([0, 0])
  })
  // No turn has passed since the commit: promises alone led here.
  expect([await rows(), await total()]).toEqual([1, 1])
})

test('reads in a row, between which nothing else is waited for, let others have their turns', async () => {
  let turns = 0
  let isOver = false
  const next = () => {
    turns += 1
    if (!isOver) setImmediate(next)
  }
  setImmediate(next)
  for (const begun = performance.now(); performance.now() - begun < 200;) await rows()
  isOver = true
  expect(turns).toBeGreaterThan(3)
})

test('the state of the database is read anew, whatever the turn has seen', async () => {
  await rows()
  await rows()
  const before = await store.state()
  await rows()
  await rows()
  addElsewhere(3)
  expect(await store.state()).not.toBe(before)
  expect(await rows()).toBe(1)
})

test('a read that fails leaves nothing behind', async () => {
  const absent: Table = { ...ROWS, name: 'absent' }
  await expect(store.select({ table: absent, columns: [id], where: ALL, order: [] })).rejects.toThrow()
  addElsewhere(4)
  expect(await rows()).toBe(1)
})

test('a change of the schema amid reads leaves foreign keys in force', async () => {
  const parent: Column = { name: 'parent', kind: 'integer', nullable: false }
  const child: Table = {
    name: 'child',
    columns: [id, parent],
    primaryKey: [id],
    indexes: [],
    foreignKeys: [
      {
        name: 'child_parent_fkey',
        column: parent,
        references: { table: ROWS.name, column: 'id' },
        onDelete: 'restrict',
      },
    ],
  }
  let isOver = false
  const reading = (async () => {
    while (!isOver) {
      await Promise.all([rows(), rows(), rows()])
      await turn()
    }
  })()
  const readOn = () => Promise.all([rows(), rows(), rows()])
  await readOn()
  const defined = store
    .define(async (definition) => {
      await definition.apply({ kind: 'createTable', table: child })
      await readOn()
    })
    .then(readOn)
  await readOn()
  await defined
  isOver = true
  await reading
  await expect(
    store.transaction((tx) => tx.insert({ table: child, values: { id: 1, parent: 404 } })),
  ).rejects.toMatchObject({ kind: 'foreignKey' })
})

test('reads go on while a transaction is open, and see nothing of it', async () => {
  await add(1)
  const seen: number[] = []
  await store.transaction(async (tx) => {
    await tx.insert({ table: ROWS, values: { id: 2 } })
    seen.push(await rows(), await rows(), await total())
    await tx.insert({ table: ROWS, values: { id: 3 } })
    seen.push(await rows(), await total())
  })
  expect(seen).toEqual([1, 1, 1, 1, 1])
  expect([await rows(), await total()]).toEqual([3, 3])
})

test('a read that need not wait is answered at once, by the same rows', async () => {
  const plan = { table: ROWS, columns: [id], where: ALL, order: [] }
  await add(1)
  await store.transaction(async (tx) => {
    await tx.insert({ table: ROWS, values: { id: 2 } })
    expect(store.selectSync?.(plan)).toEqual([{ id: 1 }])
  })
  expect(store.selectSync?.(plan)).toEqual([{ id: 1 }, { id: 2 }])
  expect(await store.select(plan)).toEqual([{ id: 1 }, { id: 2 }])
})

class Together implements Arrival {
  isOver = false
  readonly #listeners: (() => void)[] = []
  onceOver(listener: () => void): void {
    this.#listeners.push(listener)
  }
  end(): void {
    this.isOver = true
    for (const listener of this.#listeners) listener()
  }
}

const planFor = (arrival: Arrival) => ({ table: ROWS, columns: [id], where: ALL, order: [], arrival })
const rowsFor = async (arrival: Arrival) => (await store.select(planFor(arrival))).length
/** The same without a moment in which the store could be asked by somebody else, such as what looks whether it is there. */
const rowsAtOnceFor = (arrival: Arrival) => store.selectSync?.(planFor(arrival))?.length

test('what is read for one arrival shares a state of the file, and nothing outside of it does', async () => {
  const arrival = new Together()
  expect([rowsAtOnceFor(arrival), rowsAtOnceFor(arrival)]).toEqual([0, 0])
  addElsewhere(1)
  // It is this that shows that the file is not locked anew.
  expect(rowsAtOnceFor(arrival)).toBe(0)
  expect(await rows()).toBe(1)
  expect([rowsAtOnceFor(arrival), await rowsFor(arrival)]).toEqual([1, 1])
  expect(rowsAtOnceFor(new Together())).toBe(1)
  addElsewhere(2)
  expect(rowsAtOnceFor(new Together())).toBe(2)
  addElsewhere(3)
  arrival.end()
  expect([rowsAtOnceFor(arrival), await rowsFor(arrival)]).toEqual([3, 3])
})

test('the end of an arrival lets the file go: what follows for nobody in particular, and for the next, is as it stands', async () => {
  const [first, second] = [new Together(), new Together()]
  await rowsFor(first)
  await rowsFor(first)
  first.end()
  addElsewhere(1)
  expect(other.pragma('wal_checkpoint(truncate)')).toEqual([{ busy: 0, log: 0, checkpointed: 0 }])
  expect(await rowsFor(second)).toBe(1)
})

test('its own writes are seen by what is read for an arrival that lasts', async () => {
  const arrival = new Together()
  await rowsFor(arrival)
  await rowsFor(arrival)
  await add(1)
  expect(await rowsFor(arrival)).toBe(1)
  await store.transaction(async (tx) => {
    await tx.insert({ table: ROWS, values: { id: 2 } })
    expect(await rowsFor(arrival)).toBe(1)
    expect(await tx.select({ table: ROWS, columns: [id], where: ALL, order: [], arrival })).toHaveLength(2)
  })
  expect(await rowsFor(arrival)).toBe(2)
})

test('a state of the database that was asked for is never newer than what is read behind it for an arrival', async () => {
  const arrival = new Together()
  await rowsFor(arrival)
  await rowsFor(arrival)
  const before = await store.state()
  await rowsFor(arrival)
  addElsewhere(1)
  expect(await store.state()).not.toBe(before)
  expect(await rowsFor(arrival)).toBe(1)
})

test('a read for an arrival that fails leaves nothing behind', async () => {
  const arrival = new Together()
  const absent: Table = { ...ROWS, name: 'absent' }
  const plan = { table: absent, columns: [id], where: ALL, order: [], arrival }
  await expect(store.select(plan)).rejects.toThrow()
  expect(() => store.selectSync?.(plan)).toThrow()
  await add(1)
  expect(await rowsFor(arrival)).toBe(1)
  arrival.end()
  addElsewhere(2)
  expect(await rows()).toBe(2)
})

test('a store is closed in the middle of an arrival', async () => {
  const arrival = new Together()
  const started = await startStore(sqlite)
  await started.store.ensure([ROWS])
  const plan = { table: ROWS, columns: [id], where: ALL, order: [], arrival }
  await started.store.select(plan)
  await started.store.select(plan)
  await started.stop()
  expect(() => arrival.end()).not.toThrow()
})
