import { setImmediate as turn } from 'node:timers/promises'
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
