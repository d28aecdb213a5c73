import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startStore, STORES } from '../../../test/kit/stores.ts'
import type {
  Column,
  Condition,
  Opening,
  Row,
  Store,
  Table,
  Transaction,
  TransactionOptions,
} from './contract.ts'

const id: Column = { name: 'id', kind: 'integer', nullable: false }
const title: Column = { name: 'title', kind: 'text', nullable: false }
const THINGS: Table = {
  name: 'thing',
  columns: [id, title],
  primaryKey: [id],
  indexes: [],
  foreignKeys: [],
}
const ALWAYS: Condition = { op: 'always' }

for (const under of STORES) {
  describe(`a transaction that opens with a question on ${under.name}`, () => {
    let store: Store
    let stop: () => Promise<void>
    beforeAll(async () => {
      ;({ store, stop } = await startStore(under))
      await store.ensure([THINGS])
    })
    afterAll(() => stop())

    const clear = () =>
      store.transaction((tx) => tx.remove({ table: THINGS, where: { op: 'gte', column: id, value: 0 } }))
    const add = (values: Row) => store.transaction((tx) => tx.insert({ table: THINGS, values }))

    test('has it judged before anything of it counts', async () => {
      await clear()
      await add({ id: 1, title: 'one' })
      const plan = { table: THINGS, columns: [id], where: ALWAYS, order: [] }
      const judged: (readonly Row[])[] = []
      const opening = { plan, judge: (rows: readonly Row[]) => void judged.push(rows) }
      const add2 = (tx: Transaction) => tx.insert({ table: THINGS, values: { id: 2, title: 'two' } })
      expect(await store.transaction(add2, { opening })).toBe(1)
      expect(await store.define((tx) => tx.count({ table: THINGS, where: ALWAYS }), { opening })).toBe(2)
      await store.transaction(async () => undefined, { opening })
      expect(judged.map((rows) => rows.length)).toEqual([1, 2, 2])
    })

    test('is undone where it is refused, which is told in place of all else', async () => {
      await clear()
      await add({ id: 1, title: 'one' })
      const read: unknown[] = []
      const opening: Opening = {
        plan: { table: THINGS, columns: [id], where: ALWAYS, order: [] },
        async judge(_, reader) {
          read.push(await reader.count({ table: THINGS, where: ALWAYS }))
          throw new Error('unfit')
        },
      }
      const works: ((tx: Transaction) => Promise<unknown>)[] = [
        (tx) => tx.insert({ table: THINGS, values: { id: 2, title: 'two' } }),
        (tx) => tx.insert({ table: THINGS, values: { id: 2, title: 'two' }, last: true }),
        (tx) => tx.insert({ table: THINGS, values: { id: 1, title: 'again' }, last: true }),
        (tx) => tx.insert({ table: THINGS, values: { id: 2, title: 'two' } }).catch(() => undefined),
        () => Promise.reject(new Error('of its own')),
        async () => undefined,
      ]
      for (const work of works) await expect(store.transaction(work, { opening })).rejects.toThrow('unfit')
      expect(read).toEqual(works.map(() => expect.any(Number)))
      expect(await store.count({ table: THINGS, where: ALWAYS })).toBe(1)
    })

    test('may ask by the condition of a write that is alone', async () => {
      await clear()
      await add({ id: 1, title: 'one' })
      const standsAt = (value: number): Condition => ({
        op: 'exists',
        table: THINGS,
        on: [],
        where: { op: 'eq', column: id, value },
      })
      let judged = 0
      const openingUnless = (unless: Condition): TransactionOptions => ({
        opening: {
          plan: { table: THINGS, columns: [id], where: ALWAYS, order: [] },
          judge: () => void (judged += 1),
          unless,
        },
      })
      const insert = (key: number) => (tx: Transaction) =>
        tx.insert({ table: THINGS, values: { id: key, title: `t${key}` }, last: true })
      const rename = (key: number) => async (tx: Transaction) =>
        (
          await tx.update({
            table: THINGS,
            set: { title: 'new' },
            where: { op: 'eq', column: id, value: key },
            last: true,
          })
        ).count
      for (const value of [1, 99]) {
        expect(await store.transaction(insert(value + 1), openingUnless(standsAt(value)))).toBe(1)
        expect(await store.transaction(rename(1), openingUnless(standsAt(value)))).toBe(1)
        expect(await store.transaction(rename(77), openingUnless(standsAt(value)))).toBe(0)
        const taken = store.transaction(insert(1), openingUnless(standsAt(value)))
        await expect(taken).rejects.toMatchObject({ kind: 'unique' })
      }
      expect(judged).toBeGreaterThanOrEqual(4)
      expect(await store.count({ table: THINGS, where: ALWAYS })).toBe(3)
    })
  })
}
