import { createKernel } from '@svc/kernel'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { cutNext } from '../../../../test/kit/cut-next.ts'
import { startStore, STORES, type TestDatabase } from '../../../../test/kit/stores.ts'
import { type Column, Increment, type Store, type Table, type Transaction } from '../contract.ts'
import { postgres } from '../index.ts'
import { Turns } from '../turns.ts'

const id: Column = { name: 'id', kind: 'integer', nullable: false }
const size: Column = { name: 'size', kind: 'integer', nullable: false, default: 0 }
const ROWS: Table = { name: 'row', columns: [id, size], primaryKey: [id], indexes: [], foreignKeys: [] }

for (const under of STORES.filter(({ name }) => name === 'postgres')) {
  describe('a store on PostgreSQL', () => {
    let store: Store
    let stop: () => Promise<void>
    let other: Client
    let database: TestDatabase

    beforeAll(async () => {
      const started = await startStore(under)
      ;({ store, stop, database } = started)
      const { postgres: section } = started.database.config()
      other = new Client(String(Object(section)['conninfo']))
      await other.connect()
      await store.ensure([ROWS])
      await store.transaction(async (tx) => {
        await tx.insert({ table: ROWS, values: { id: 1 } })
        await tx.insert({ table: ROWS, values: { id: 2 } })
      })
    })
    afterAll(async () => {
      await other.end()
      await stop()
    })

    const cutOff = () =>
      other.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
    const total = () => store.count({ table: ROWS, where: { op: 'always' } })
    const touch = (tx: Transaction, row: number) =>
      tx.update({
        table: ROWS,
        set: { size: new Increment(1) },
        where: { op: 'eq', column: id, value: row },
        returning: [size],
      })

    test('works again at once when the server has cut off every connection', async () => {
      await Promise.all([total(), total(), total()])
      await cutOff()
      expect(await total()).toBe(2)
      await cutOff()
      expect((await store.transaction((tx) => touch(tx, 1))).count).toBe(1)
    })

    test('answers UNAVAILABLE for a transaction that is cut off, and undoes it', async () => {
      const broken = store.transaction(async (tx) => {
        await tx.insert({ table: ROWS, values: { id: 3 } })
        await cutOff()
        await tx.insert({ table: ROWS, values: { id: 4 } })
      })
      await expect(broken).rejects.toMatchObject({ code: 'UNAVAILABLE', status: 503 })
      expect(await total()).toBe(2)
    })

    const addAlone = (key: number) =>
      store.transaction((tx) => tx.insert({ table: ROWS, values: { id: key }, last: true }))

    test('sends a write that is alone over another connection where nothing of it has left, and else says so', async () => {
      const restore = cutNext('before')
      expect(await addAlone(31)).toBe(1)
      restore()
      const restoreAgain = cutNext('after')
      await expect(addAlone(32)).rejects.toMatchObject({ code: 'UNAVAILABLE', status: 503 })
      restoreAgain()
      await store.transaction((tx) =>
        tx.remove({ table: ROWS, where: { op: 'in', column: id, values: [31, 32] } }),
      )
      expect(await total()).toBe(2)
    })

    test('says that a write that is alone did not happen where the server cannot make it durable', async () => {
      await other.query(`
        create function refuse() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$;
        create constraint trigger late after insert or update on "row" deferrable initially deferred
          for each row execute function refuse()`)
      await expect(addAlone(33)).rejects.toThrow('not now')
      const grow = {
        table: ROWS,
        set: { size: 99 },
        where: { op: 'eq', column: id, value: 1 },
        last: true,
      } as const
      await expect(store.transaction((tx) => tx.update(grow))).rejects.toThrow('not now')
      await other.query('drop function refuse() cascade')
      expect(await total()).toBe(2)
    })

    test('ends a stream that is cut off, and streams again', async () => {
      const chunks = () =>
        store.stream({ table: ROWS, columns: ROWS.columns, where: { op: 'always' }, order: [] }, 1)
      const broken = async () => {
        for await (const chunk of chunks()) if (chunk.length > 0) await cutOff()
      }
      await expect(broken()).rejects.toMatchObject({ code: 'UNAVAILABLE', status: 503 })
      await cutOff()
      let count = 0
      for await (const chunk of chunks()) count += chunk.length
      expect(count).toBe(2)
    })

    test('does a transaction again that met a deadlock', async () => {
      let arrived = 0
      let open = () => {}
      const both = new Promise<void>((resolve) => (open = resolve))
      const crossing = (first: number, second: number) =>
        store.transaction(async (tx) => {
          await touch(tx, first)
          if ((arrived += 1) === 2) open()
          await both
          await touch(tx, second)
        })
      await Promise.all([crossing(1, 2), crossing(2, 1)])
      expect(arrived).toBe(3)
    })

    test('answers UNAVAILABLE when every connection is taken for too long', async () => {
      const small = await startStore(under, {
        config: () => database.config({ pool_size: 1, connect_timeout_ms: 100 }),
        drop: async () => {},
      })
      const all = { table: ROWS, where: { op: 'always' } } as const
      const outer = small.store.transaction(async (tx) => {
        await tx.count(all)
        return small.store.count(all)
      })
      await expect(outer).rejects.toMatchObject({ code: 'UNAVAILABLE' })
      expect(await small.store.count(all)).toBe(2)
      await small.stop()
    })

    test('waits for a connection once, and takes none to undo what never began', async () => {
      const small = await startStore(under, {
        config: () => database.config({ pool_size: 1, connect_timeout_ms: 100 }),
        drop: async () => {},
      })
      const enter = vi.spyOn(Turns.prototype, 'enter')
      await small.store.transaction(async (tx) => {
        await touch(tx, 1)
        enter.mockClear()
        await expect(small.store.transaction((late) => touch(late, 2))).rejects.toMatchObject({
          code: 'UNAVAILABLE',
        })
        expect(enter).toHaveBeenCalledOnce()
      })
      enter.mockRestore()
      await small.stop()
    })

    test('lets a read go before the transactions that wait for a connection, and some of those in between', async () => {
      const small = await startStore(under, {
        config: () => database.config({ pool_size: 1 }),
        drop: async () => {},
      })
      const ended: string[] = []
      const doing = (name: string, work: Promise<unknown>) => work.then(() => ended.push(name))
      const where = { op: 'eq', column: id, value: 1 } as const
      const write = () => small.store.transaction((tx) => touch(tx, 1))
      const read = () => small.store.count({ table: ROWS, where })
      await small.store.transaction(async (tx) => {
        await touch(tx, 1)
        for (let i = 0; i < 3; i += 1) void doing('write', write())
        await new Promise((resolve) => setTimeout(resolve, 20))
        for (let i = 0; i < 6; i += 1) void doing('read', read())
      })
      await vi.waitFor(() => expect(ended).toHaveLength(9))
      expect(ended.slice(0, 4)).toEqual(['read', 'read', 'read', 'read'])
      expect(ended.slice(4, 7).toSorted()).toEqual(['read', 'read', 'write'])
      await small.stop()
    })

    test('answers UNAVAILABLE when a lock is not to be had in time', async () => {
      const hasty = await startStore(under, {
        config: () => database.config({ lock_timeout_ms: 50 }),
        drop: async () => {},
      })
      await store.transaction(async (tx) => {
        await touch(tx, 1)
        await expect(hasty.store.transaction((other) => touch(other, 1))).rejects.toMatchObject({
          code: 'UNAVAILABLE',
        })
      })
      await hasty.stop()
    })

    test('says so when a work goes on after a failed statement', async () => {
      const careless = store.transaction(async (tx) => {
        await tx.insert({ table: ROWS, values: { id: 1 } }).catch(() => undefined)
      })
      await expect(careless).rejects.toThrow('belongs into a savepoint')
    })

    test('takes statements of one transaction at the same time', async () => {
      const counts = await store.transaction((tx) =>
        Promise.all([
          tx.count({ table: ROWS, where: { op: 'always' } }),
          touch(tx, 1).then(({ count }) => count),
        ]),
      )
      expect(counts).toEqual([2, 1])
    })
  })
}

test('a server out of reach ends the start with what to do, and without the password', async () => {
  const conninfos = [
    'postgresql://me:geheim@127.0.0.1:1/shop',
    'host=127.0.0.1 port=1 dbname=shop password=geheim',
  ]
  for (const conninfo of conninfos) {
    const kernel = createKernel({ config: { postgres: { conninfo } }, plugins: [postgres] })
    const failure: unknown = await kernel.start().catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'StartupError', component: 'postgres' })
    expect(String(failure)).toMatch(/database 'shop' at 127\.0\.0\.1:1 cannot be reached.*Start PostgreSQL/)
    expect(String(failure)).not.toContain('geheim')
  }
})

test('a conninfo that cannot be read ends the start without repeating it', async () => {
  for (const conninfo of ['postgresql://me:geheim@:::/x', 'geheim']) {
    const kernel = createKernel({ config: { postgres: { conninfo } }, plugins: [postgres] })
    const failure: unknown = await kernel.start().catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'StartupError' })
    expect(String(failure)).not.toContain('geheim')
  }
})
