import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startStore, STORES } from '../../../test/kit/stores.ts'
import type { Column, Condition, Order, Row, Store, Table } from './contract.ts'
import { PART_LENGTH } from './part.ts'

const id: Column = { name: 'id', kind: 'integer', nullable: false }
const body: Column = { name: 'body', kind: 'text', nullable: true }
const flag: Column = { name: 'flag', kind: 'boolean', nullable: true }
const TABLE: Table = {
  name: 'streamed',
  columns: [id, body, flag],
  primaryKey: [id],
  indexes: [],
  foreignKeys: [],
}
const ALWAYS: Condition = { op: 'always' }
const BY_ID: readonly Order[] = [{ column: id, descending: false }]
/** 40 MB in all: more than a stream may keep in memory. */
const ROWS = 2000
const LENGTH = 20_000

/** Memory that is in use, in MiB. */
function used(): number {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 2 ** 20
}

for (const under of STORES) {
  describe(`streams of the ${under.name} store`, () => {
    let store: Store
    let stop: () => Promise<void>

    beforeAll(async () => {
      ;({ store, stop } = await startStore(under))
      await store.ensure([TABLE])
      const text = 'x'.repeat(LENGTH)
      await store.transaction(async (tx) => {
        for (let i = 0; i < ROWS; i += 1) {
          await tx.insert({ table: TABLE, values: { id: i, body: text, flag: i % 2 === 0 } })
        }
      })
    })
    afterAll(() => stop())

    const stream = (size: number, where: Condition = ALWAYS, order = BY_ID) =>
      store.stream({ table: TABLE, columns: TABLE.columns, where, order }, size)
    const remove = (from: number) =>
      store.transaction((tx) => tx.remove({ table: TABLE, where: { op: 'gte', column: id, value: from } }))
    const next = async (rows: AsyncIterator<readonly Row[]>) => {
      const { value, done } = await rows.next()
      return done === true ? undefined : value
    }

    test('bring every row in order, in chunks, in their JSON form', async () => {
      const rows: Row[] = []
      for await (const chunk of stream(10, { op: 'lt', column: id, value: 1000 })) {
        expect(chunk.length).toBe(10)
        rows.push(...chunk)
      }
      expect(rows.map((row) => row['id'])).toEqual(Array.from({ length: 1000 }, (_, i) => i))
      expect(rows[1]).toEqual({ id: 1, body: 'x'.repeat(LENGTH), flag: false })
    })

    test('bring fewer at a time where rows are long', async () => {
      const sizes: number[] = []
      for await (const chunk of stream(300)) sizes.push(chunk.length)
      expect(Math.max(...sizes) * LENGTH).toBeLessThanOrEqual(PART_LENGTH)
      expect(sizes.reduce((sum, size) => sum + size)).toBe(ROWS)
      const short: number[] = []
      const plan = { table: TABLE, columns: [id], where: ALWAYS, order: BY_ID }
      for await (const chunk of store.stream(plan, 300)) short.push(chunk.length)
      expect(Math.max(...short)).toBe(300)
      const last: Condition = { op: 'gte', column: id, value: ROWS - 3 }
      const name = (text: string) =>
        store.transaction((tx) => tx.update({ table: TABLE, set: { body: text }, where: last }))
      await name('x'.repeat(2 * PART_LENGTH))
      const long: number[] = []
      for await (const chunk of stream(300, ALWAYS, [{ column: id, descending: true }]))
        long.push(chunk.length)
      if (under.name === 'sqlite') expect(long.slice(0, 3)).toEqual([1, 1, 1])
      // A server is told how many before anybody knows how long they are.
      else expect(long[1]).toBeLessThan(long[0]! / 2)
      await name('x'.repeat(LENGTH))
    })

    test('bring nothing where there is nothing', async () => {
      const chunks = []
      for await (const chunk of stream(10, { op: 'never' })) chunks.push(chunk)
      expect(chunks).toEqual([])
    })

    test('keep no more than a chunk in memory, in whatever order', async () => {
      const before = used()
      let most = 0
      let count = 0
      for await (const chunk of stream(100, ALWAYS, [{ column: body, descending: true }, ...BY_ID])) {
        count += chunk.length
        if (count % 500 === 0) most = Math.max(most, used() - before)
      }
      expect(count).toBe(ROWS)
      expect(most).toBeLessThan(16)
    })

    test('show one state of the database, while others read and write', async () => {
      const seen: unknown[] = []
      for await (const chunk of stream(1000)) {
        seen.push(...chunk.map((row) => row['id']))
        if (seen.length > chunk.length) continue
        await remove(ROWS - 500)
        expect(await store.count({ table: TABLE, where: ALWAYS })).toBe(ROWS - 500)
        await store.transaction((tx) => tx.insert({ table: TABLE, values: { id: -1 } }))
      }
      expect(seen).toEqual(Array.from({ length: ROWS }, (_, i) => i))
      expect(await store.count({ table: TABLE, where: ALWAYS })).toBe(ROWS - 499)
    })

    test('let go of their connection when they are left early, by a break or an error', async () => {
      for (let i = 0; i < 20; i += 1) {
        for await (const chunk of stream(10)) if (chunk.length > 0) break
        const failing = async () => {
          for await (const chunk of stream(10)) throw new Error(`no ${chunk.length}`)
        }
        await expect(failing()).rejects.toThrow('no 10')
      }
      const rows = stream(10)[Symbol.asyncIterator]()
      expect(await next(rows)).toHaveLength(10)
      await rows.return?.()
      expect(await next(rows)).toBeUndefined()
    })

    test('wait for one another where too many are open, and leave room for all else', async () => {
      const open = Array.from({ length: 8 }, () => stream(10)[Symbol.asyncIterator]())
      const first = open.map((rows) => next(rows))
      expect(await first[0]).toHaveLength(10)
      expect(await store.count({ table: TABLE, where: { op: 'never' } })).toBe(0)
      for (const [i, rows] of open.entries()) {
        expect(await first[i]).toHaveLength(10)
        await rows.return?.()
      }
    })

    test('give their connection back before they hand out their last rows', async () => {
      for (let i = 0; i < 8; i += 1) {
        const rows = stream(10, { op: 'lt', column: id, value: 5 })[Symbol.asyncIterator]()
        expect((await next(rows))!.length).toBeLessThan(10)
      }
    })

    test('refuse a chunk of no size', async () => {
      for (const size of [0, -1, 1.5, Number.NaN]) {
        await expect(next(stream(size)[Symbol.asyncIterator]())).rejects.toThrow('whole number of rows')
      }
    })

    test('are UNAVAILABLE where the table is gone', async () => {
      const gone = { table: { ...TABLE, name: 'gone' }, columns: [id], where: ALWAYS, order: [] }
      const rows = store.stream(gone, 10)[Symbol.asyncIterator]()
      await expect(next(rows)).rejects.toMatchObject({ status: 503 })
    })

    test('do not keep a store from closing', async () => {
      const other = await startStore(under)
      await other.store.ensure([TABLE])
      await other.store.transaction(async (tx) => {
        for (let i = 0; i < 20; i += 1) await tx.insert({ table: TABLE, values: { id: i } })
      })
      const rows = other.store
        .stream({ table: TABLE, columns: [id], where: ALWAYS, order: [] }, 5)
        [Symbol.asyncIterator]()
      expect(await next(rows)).toHaveLength(5)
      await other.stop()
      await rows.return?.()
    })
  })
}
