import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { rounds } from '../../../../test/kit/rounds.ts'
import { cutNext } from '../../../../test/kit/cut-next.ts'
import { startStore, STORES, type TestDatabase } from '../../../../test/kit/stores.ts'
import { type Column, type Store, StoreConflict, type Table, type Value } from '../contract.ts'

const id: Column = { name: 'id', kind: 'integer', nullable: false }
const name: Column = { name: 'name', kind: 'text', nullable: true }
const size: Column = { name: 'size', kind: 'integer', nullable: false, default: 0 }
const TABLE: Table = {
  name: 'thing',
  columns: [id, name, size],
  primaryKey: [id],
  indexes: [{ name: 'thing_name', columns: [name], unique: true }],
  foreignKeys: [],
}
const LOCK = 'somebody'

/** Numbers from `first` on. */
const numbers = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at)

for (const under of STORES.filter(({ name: store }) => store === 'postgres')) {
  describe('writes on PostgreSQL that are all of their transactions, and come together', () => {
    let store: Store
    let second: Store
    let database: TestDatabase
    let other: Client
    const stops: (() => Promise<void>)[] = []
    beforeAll(async () => {
      const first = await startStore(under)
      ;({ store, database } = first)
      await store.ensure([TABLE])
      const { postgres: section } = database.config()
      other = new Client(String(Object(section)['conninfo']))
      await other.connect()
      const beside = await startStore(under, database)
      second = beside.store
      stops.push(() => other.end(), beside.stop, first.stop)
      await Promise.all(numbers(1, 40).map((key) => insert(key)))
    })
    afterAll(async () => {
      for (const stop of stops) await stop()
    })

    const insert = (key: number, values: Record<string, Value> = {}, on = store) =>
      on.transaction((tx) => tx.insert({ table: TABLE, values: { id: key, ...values }, last: true }))
    const update = (key: number, to: number, on = store) =>
      on.transaction((tx) =>
        tx.update({
          table: TABLE,
          set: { size: to },
          where: { op: 'eq', column: id, value: key },
          last: true,
        }),
      )
    const withEntry = (key: number) =>
      store.transaction(
        async (tx) => {
          await tx.append({ table: TABLE, values: { id: key + 1 } })
          await tx.insert({ table: TABLE, values: { id: key }, last: true })
        },
        {
          opening: {
            plan: { table: TABLE, columns: [id], where: { op: 'eq', column: id, value: 1 }, order: [] },
            judge: () => undefined,
            unless: { op: 'exists', table: TABLE, on: [], where: { op: 'eq', column: id, value: 1 } },
            sharedLock: LOCK,
          },
        },
      )
    const there = async (first: number, count: number) => {
      const { rows } = await other.query('select id from thing where id >= $1 and id < $2 order by id', [
        first,
        first + count,
      ])
      return rows.map((row: { id: unknown }) => Number(row.id))
    }
    /** How many transactions wrote these rows. */
    const transactions = async (first: number, count: number) => {
      const { rows } = await other.query(
        'select count(distinct xmin::text) as count from thing where id >= $1 and id < $2',
        [first, first + count],
      )
      return Number(rows[0].count)
    }
    const isPending = async (promise: Promise<unknown>, ms: number) =>
      (await Promise.race([promise, new Promise((resolve) => setTimeout(resolve, ms, 'pending'))])) ===
      'pending'

    test('share a message and a commit, up to sixteen of them', async () => {
      const sent = await rounds(() => Promise.all(numbers(100, 40).map((key) => insert(key))))
      expect(sent).toHaveLength(3)
      expect(await there(100, 40)).toEqual(numbers(100, 40))
      expect(await transactions(100, 40)).toBe(3)
    })

    test('share with few others where they write much text', async () => {
      const long = (letter: string) => letter.repeat(20_000)
      const sent = await rounds(() =>
        Promise.all([
          insert(150, { name: long('a') }),
          insert(151, { name: long('b') }),
          insert(152),
          insert(153, { name: `${long('c')}${long('d')}` }),
          insert(154),
        ]),
      )
      expect(sent).toEqual(['insert', 'select insert insert', 'insert', 'insert'])
      expect(await there(150, 5)).toEqual(numbers(150, 5))
    })

    test('fail alone where they clash', async () => {
      const taken = new Set([203, 204, 217])
      await Promise.all([...taken].map((key) => insert(key)))
      const outcomes = await Promise.allSettled(numbers(200, 20).map((key) => insert(key)))
      for (const [at, outcome] of outcomes.entries()) {
        expect(outcome.status).toBe(taken.has(200 + at) ? 'rejected' : 'fulfilled')
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(StoreConflict)
      }
      expect(await there(200, 20)).toEqual(numbers(200, 20))
    })

    test('have one winner where they clash with each other', async () => {
      const outcomes = await Promise.allSettled(
        numbers(250, 20).map((key) => insert(key, { name: `same ${key % 5}` })),
      )
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
      expect(await there(250, 20)).toHaveLength(5)
    })

    test('fail alone where the commit would', async () => {
      await other.query(`
        create function refuse() returns trigger language plpgsql as
          $$ begin if new.size = 7 then raise exception 'seven'; end if; return null; end $$;
        create constraint trigger seven after insert on thing deferrable initially deferred
          for each row execute function refuse()`)
      const outcomes = await Promise.allSettled(
        numbers(300, 10).map((key) => insert(key, { size: key === 304 ? 7 : 1 })),
      )
      await other.query('drop trigger seven on thing')
      const failed = outcomes.flatMap(({ status }, at) => (status === 'rejected' ? [300 + at] : []))
      expect(failed).toEqual([304])
      expect(await there(300, 10)).toEqual(numbers(300, 10).filter((key) => key !== 304))
    })

    test('do not wait for a row that one of them waits for', async () => {
      await other.query('begin')
      await other.query('select from thing where id = 1 for update')
      const held = update(1, 10)
      const others = Promise.all([...numbers(350, 10).map((key) => insert(key)), update(2, 10)])
      expect(await isPending(others, 1000)).toBe(false)
      expect(await isPending(held, 150)).toBe(true)
      await other.query('commit')
      expect(await held).toMatchObject({ count: 1 })
    })

    test('do not wait for a lock that one of them waits for, and hold no row meanwhile', async () => {
      const { held, done } = await holding(LOCK)
      const waiting = withEntry(400)
      expect(await isPending(Promise.all([update(3, 11), insert(410)]), 1000)).toBe(false)
      expect(await isPending(waiting, 150)).toBe(true)
      await other.query('select from thing where id = 3 for update nowait')
      done()
      await held
      await waiting
      expect(await there(400, 11)).toEqual([400, 401, 410])
    })

    /** Another server holds a lock alone, until `done` is called. */
    const holding = async (lock: string) => {
      let done: () => void = () => undefined
      const until = new Promise<void>((resolve) => (done = resolve))
      let begun: () => void = () => undefined
      const isHeld = new Promise<void>((resolve) => (begun = resolve))
      const held = second.transaction(async (tx) => {
        await tx.exclusiveLock(lock)
        begun()
        await until
      })
      await isHeld
      return { held, done }
    }

    test('stand in nobody’s way on two servers that change the same rows in opposite order', async () => {
      const keys = numbers(1, 40)
      const query = vi.spyOn(Client.prototype, 'query')
      for (let round = 0; round < 5; round += 1) {
        const forth = keys.map((key) => update(key, round))
        const back = keys.toReversed().map((key) => update(key, round, second))
        for (const { count } of await Promise.all([...forth, ...back])) expect(count).toBe(1)
      }
      // A new connection asks for its settings by a text.
      const messages = query.mock.calls.flatMap(([asked]: readonly unknown[]) => {
        const { calls } = Object(asked)
        return calls === undefined ? [] : [calls]
      })
      query.mockRestore()
      // All rows are locked in the order of their keys as text.
      for (const calls of messages) {
        const keysOf = calls.slice(1).map(({ values }: { values: readonly unknown[] }) => String(values[1]))
        expect(keysOf.length).toBeGreaterThan(1)
        expect(keysOf).toEqual(keysOf.toSorted())
      }
      const { rows } = await other.query(
        'select deadlocks from pg_stat_database where datname = current_database()',
      )
      expect(Number(rows[0].deadlocks)).toBe(0)
    })

    test('go over another connection where theirs was dead before they left', async () => {
      const restore = cutNext('before')
      await Promise.all(numbers(500, 10).map((key) => insert(key)))
      restore()
      expect(await there(500, 10)).toEqual(numbers(500, 10))
    })

    test('answer UNAVAILABLE and are not done twice where the connection is cut behind them', async () => {
      const restore = cutNext('after')
      const outcomes = await Promise.allSettled(numbers(550, 10).map((key) => insert(key)))
      restore()
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE', status: 503 } })
      }
      // All of them were done, or none.
      expect([0, 10]).toContain((await there(550, 10)).length)
    })
  })
}
