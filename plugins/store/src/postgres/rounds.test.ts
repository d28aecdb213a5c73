import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { rounds } from '../../../../test/kit/rounds.ts'
import { startStore, STORES, type TestDatabase } from '../../../../test/kit/stores.ts'
import {
  type Column,
  type Condition,
  type Store,
  StoreConflict,
  type Table,
  TEXT,
  type Transaction,
  type TransactionOptions,
} from '../contract.ts'

const id: Column = { name: 'id', kind: 'integer', nullable: false }
const size: Column = { name: 'size', kind: 'integer', nullable: false, default: 0 }
const TABLE: Table = {
  name: 'thing',
  columns: [id, size],
  primaryKey: [id],
  indexes: [],
  foreignKeys: [],
}
const RIGHTS: Table = { ...TABLE, name: 'rights' }
const is = (value: number): Condition => ({ op: 'eq', column: id, value })
const read = { table: TABLE, columns: TABLE.columns, order: [] }
const change = (key: number) => ({ table: TABLE, set: { size: 5 }, where: is(key), last: true })

/** Asks, as a write of somebody signed in does, whether their rights are what they were. */
const asking: TransactionOptions = {
  opening: {
    plan: { table: RIGHTS, columns: [size], where: { op: 'always' }, order: [] },
    judge: () => undefined,
    unless: { op: 'exists', table: RIGHTS, on: [], where: { op: 'eq', column: size, value: 3 } },
  },
}

for (const under of STORES.filter(({ name }) => name === 'postgres')) {
  describe('PostgreSQL is asked and waited for', () => {
    let store: Store
    let database: TestDatabase
    let stop: () => Promise<void>
    beforeAll(async () => {
      ;({ store, database, stop } = await startStore(under))
      await store.ensure([TABLE, RIGHTS])
      await store.transaction(async (tx) => {
        await tx.insert({ table: RIGHTS, values: { id: 1, size: 3 } })
        for (const key of [1, 2, 3]) await tx.insert({ table: TABLE, values: { id: key } })
      })
    })
    afterAll(() => stop())

    const insert = (key: number, options?: TransactionOptions) =>
      rounds(() =>
        store.transaction((tx) => tx.insert({ table: TABLE, values: { id: key }, last: true }), options),
      )
    const patch = (options?: TransactionOptions) =>
      rounds(() =>
        store.transaction(async (tx) => {
          await tx.select({ ...read, where: is(1), lock: true })
          await tx.update(change(1))
        }, options),
      )

    const counted = { ...read, lock: true, counted: size } as const

    test('once for a new row, of nobody and of somebody', async () => {
      expect(await insert(11)).toEqual(['insert'])
      expect(await insert(12, asking)).toEqual(['insert'])
    })

    test('twice for a new row with entries beside it, which leave together with the commit', async () => {
      const withEntries = (key: number, options?: TransactionOptions) =>
        rounds(() =>
          store.transaction(async (tx) => {
            await tx.insert({ table: TABLE, values: { id: key } })
            await tx.append({ table: TABLE, values: { id: key + 1 } })
            await tx.append({ table: TABLE, values: { id: key + 2 } })
          }, options),
        )
      expect(await withEntries(200)).toEqual(['begin insert', 'insert commit'])
      expect(await withEntries(300, asking)).toEqual(['begin select insert', 'insert commit'])
    })

    test('once for a new or changed row with entries that go along with it, which are written where it is', async () => {
      const withEntries = (key: number, options?: TransactionOptions) =>
        store.transaction(async (tx) => {
          await tx.append({ table: TABLE, values: { id: key + 1 } })
          await tx.append({ table: RIGHTS, values: { id: key + 2 } })
          await tx.insert({ table: TABLE, values: { id: key }, last: true })
        }, options)
      expect(await rounds(() => withEntries(700))).toEqual(['with'])
      expect(await rounds(() => withEntries(710, asking))).toEqual(['with'])
      const among = async (table: Table, keys: readonly number[]) =>
        (
          await store.select({
            table,
            columns: [id],
            where: { op: 'in', column: id, values: keys },
            order: [],
          })
        )
          .map((row) => Number(row['id']))
          .toSorted((a, b) => a - b)
      expect(await among(TABLE, [700, 701, 710, 711])).toEqual([700, 701, 710, 711])
      expect(await among(RIGHTS, [702, 712])).toEqual([702, 712])
      // What clashes takes its entries with it, and an entry that clashes the row.
      await expect(withEntries(700, asking)).rejects.toThrow(StoreConflict)
      await expect(
        store.transaction(async (tx) => {
          await tx.append({ table: TABLE, values: { id: 1 } })
          await tx.insert({ table: TABLE, values: { id: 720 }, last: true })
        }),
      ).rejects.toThrow()
      expect(await among(TABLE, [720])).toEqual([])

      const changing = async (entry: number) => {
        await store.transaction(async (tx) => {
          const [row] = await tx.select({ ...counted, where: is(1), limit: 1 })
          await tx.append({ table: TABLE, values: { id: entry } })
          const next = Number(row?.['size']) + 1
          await tx.update({ table: TABLE, set: { size: next }, where: is(1), last: true })
        }, asking)
      }
      expect(await rounds(() => changing(800))).toEqual(['select', 'with'])
      // Of many at once each writes its entry once, whoever was outrun.
      const [before] = await store.select({ ...read, where: is(1) })
      await Promise.all(Array.from({ length: 40 }, (_, at) => changing(810 + at)))
      const [after] = await store.select({ ...read, where: is(1) })
      expect(after?.['size']).toBe(Number(before?.['size']) + 40)
      expect(
        await among(
          TABLE,
          Array.from({ length: 40 }, (_, at) => 810 + at),
        ),
      ).toHaveLength(40)
    })

    test('once where entries share a lock, behind whoever has it alone', async () => {
      const { opening } = asking
      let judged = 0
      const locking: TransactionOptions = {
        opening: { ...opening!, sharedLock: 'writes', judge: () => void (judged += 1) },
      }
      const write = (key: number) =>
        store.transaction(async (tx) => {
          await tx.append({ table: TABLE, values: { id: key + 1 } })
          await tx.insert({ table: TABLE, values: { id: key }, last: true })
        }, locking)
      expect(await rounds(() => write(1000))).toEqual(['select with'])
      expect(judged).toBe(0)
      // Who has it alone changes the rights: whoever waited is asked for theirs, though they had begun before.
      let writing: Promise<void> | undefined
      await store.transaction(async (tx) => {
        await tx.exclusiveLock('writes')
        writing = write(1010)
        await delay(100)
        await tx.update({ table: RIGHTS, set: { size: 4 }, where: is(1) })
      })
      await writing
      expect(judged).toBe(1)
      await store.transaction((tx) => tx.update({ table: RIGHTS, set: { size: 3 }, where: is(1) }))
    })

    test('twice for entries that are too many, or go along with what may write nothing', async () => {
      const work = (first: number, count: number, last: (tx: Transaction) => Promise<unknown>) =>
        store.transaction(async (tx) => {
          for (let at = 0; at < count; at += 1) await tx.append({ table: TABLE, values: { id: first + at } })
          await last(tx)
        })
      const new900 = (tx: Transaction) => tx.insert({ table: TABLE, values: { id: 900 }, last: true })
      expect(await rounds(() => work(901, 5, new900))).toEqual(['begin insert insert insert commit'])
      const gone = (tx: Transaction) => tx.update(change(-5))
      expect(await rounds(() => work(910, 1, gone))).toEqual(['begin update insert commit'])
      expect(await rounds(() => work(920, 1, async () => undefined))).toEqual(['begin insert commit'])
    })

    test('twice for a changed row, and at no time for rights alone', async () => {
      expect(await patch()).toEqual(['begin select', 'update commit'])
      expect(await patch(asking)).toEqual(['begin select select', 'update commit'])
    })

    const count = (key: number, of = key) =>
      store.transaction(async (tx) => {
        const [row] = await tx.select({ ...counted, where: is(key), limit: 1 })
        if (row === undefined) throw new Error('nothing is there')
        const next = Number(row['size']) + 1
        await tx.update({ table: TABLE, set: { size: next }, where: is(of), last: true })
        return next
      }, asking)

    test('once to read a row whose writes are counted, together with others, and once to change it', async () => {
      expect(await rounds(() => count(1))).toEqual(['select', 'update'])
      const both = await rounds(() => Promise.all([count(2), count(3)]))
      // How long a row is waited for stands before writes that share a transaction.
      expect(both).toEqual(['select select', 'select update update'])
      await expect(count(99)).rejects.toThrow('nothing is there')
    })

    test('once for lists together whose statement has been quick, each by itself where it was slow of late', async () => {
      let now = 0
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
      const list = () => store.select({ ...read, where: { op: 'gt', column: size, value: 1 } })
      const both = () => rounds(() => Promise.all([list(), list()]))
      for (let times = 0; times < 4; times += 1) expect(await both()).toEqual(['select', 'select'])
      expect(await both()).toEqual(['select select'])
      clock.mockImplementation(() => (now += 1000))
      expect(await both()).toEqual(['select select'])
      expect(await both()).toEqual(['select', 'select'])
      clock.mockRestore()
    })

    test('for a hold where another row is changed than was read', async () => {
      expect(await rounds(() => count(2, 3))).toEqual(['select', 'begin select select', 'update commit'])
    })

    test('for a hold where anything stands between reading a row and changing it', async () => {
      const work = () =>
        store.transaction(async (tx) => {
          await tx.select({ ...counted, where: is(1), limit: 1 })
          await tx.select({ ...counted, where: is(2), limit: 1 })
          await tx.update(change(1))
        }, asking)
      expect(await rounds(work)).toEqual(['select', 'begin select select select', 'update commit'])
    })

    test('again where somebody else has written a row since it was read, and loses no count', async () => {
      const [before] = await store.select({ ...read, where: is(1) })
      await Promise.all(Array.from({ length: 40 }, () => count(1)))
      const [after] = await store.select({ ...read, where: is(1) })
      expect(after?.['size']).toBe(Number(before?.['size']) + 40)
      let runs = 0
      await store.transaction(async (tx) => {
        const [row] = await tx.select({ ...counted, where: is(1), limit: 1 })
        if ((runs += 1) === 1) await count(1)
        await tx.insert({ table: TABLE, values: { id: 500 + runs, size: row?.['size'] ?? 0 } })
      })
      expect(runs).toBe(2)
      expect(await store.select({ ...read, where: { op: 'in', column: id, values: [501, 502] } })).toEqual([
        { id: 502, size: Number(after?.['size']) + 1 },
      ])
    })

    test('anew where a write that was alone finds that there is something to judge', async () => {
      const { opening } = asking
      const outdated = { op: 'exists', table: RIGHTS, on: [], where: is(77) } as const
      expect(await insert(13, { opening: { ...opening!, unless: outdated } })).toEqual([
        'insert',
        'begin select',
        'insert commit',
      ])
    })

    test('once more for every write that another one follows', async () => {
      const work = () =>
        store.transaction(async (tx) => {
          await tx.insert({ table: TABLE, values: { id: 21 } })
          await Promise.all([22, 23].map((key) => tx.insert({ table: TABLE, values: { id: key } })))
        }, asking)
      expect(await rounds(work)).toEqual(['begin select insert', 'insert insert', 'commit'])
    })

    test('once for rows that are found by their keys in one turn of the event loop', async () => {
      const one = (key: number) =>
        store.select({
          ...read,
          columns: [],
          text: [id],
          where: { op: 'and', of: [is(key), { op: 'always' }] },
        })
      const reads = () => Promise.all([1, 2, 99, 3].map(one))
      expect(await rounds(reads)).toEqual(['select select select select'])
      expect(await reads()).toEqual([
        [{ [TEXT]: '{"id":1}' }],
        [{ [TEXT]: '{"id":2}' }],
        [],
        [{ [TEXT]: '{"id":3}' }],
      ])
      const lists = () => Promise.all([1, 2].map(() => store.select({ ...read, where: { op: 'always' } })))
      expect(await rounds(lists)).toEqual(['select', 'select'])
    })

    test('again, one by one, for reads that together stand in the way of a change of the schema', async () => {
      const { postgres: section } = database.config()
      const other = new Client(String(Object(section)['conninfo']))
      await other.connect()
      await other.query('begin; lock table rights in access exclusive mode')
      const asked = Promise.all(
        [TABLE, RIGHTS].map((table) => store.select({ ...read, table, where: is(1) })),
      )
      await vi.waitFor(async () => {
        const waiting =
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
        expect((await other.query(waiting)).rows).toHaveLength(1)
      })
      // It is the reads that notice the deadlock.
      await other.query("set local deadlock_timeout = '60s'; lock table thing in access exclusive mode")
      await other.query('rollback')
      await other.end()
      expect(await asked).toMatchObject([[{ id: 1 }], [{ id: 1 }]])
    })

    test('again for those alone that stood behind a read that failed', async () => {
      const missing: Table = { ...TABLE, name: 'nowhere' }
      const outcomes = await Promise.allSettled(
        [TABLE, missing, TABLE].map((table) => store.select({ ...read, table, where: is(1) })),
      )
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect(await store.select({ ...read, where: is(1) })).toHaveLength(1)
    })
  })
}
