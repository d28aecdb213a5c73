import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startStore, STORES } from '../../../test/kit/stores.ts'
import { type Column, type Condition, Increment, type Store, type Table } from './contract.ts'

const id: Column = { name: 'id', kind: 'integer', nullable: false }
const code: Column = { name: 'code', kind: 'text', nullable: true }
const count: Column = { name: 'count', kind: 'integer', nullable: false, default: 0 }
const TABLE: Table = {
  name: 'closing',
  columns: [id, code, count],
  primaryKey: [id],
  indexes: [{ name: 'closing_code_key', columns: [code], unique: true }],
  foreignKeys: [],
}
const is = (value: number): Condition => ({ op: 'eq', column: id, value })
const read = { table: TABLE, columns: TABLE.columns, order: [] }

for (const under of STORES) {
  describe(`the last write of a transaction on ${under.name}`, () => {
    let store: Store
    let stop: () => Promise<void>

    beforeAll(async () => {
      ;({ store, stop } = await startStore(under))
      await store.ensure([TABLE])
    })
    afterAll(() => stop())
    beforeEach(() =>
      store.transaction((tx) => tx.remove({ table: TABLE, where: { op: 'gte', column: id, value: 0 } })),
    )

    const all = () => store.select({ ...read, where: { op: 'always' } })

    test('is durable with all before it once the transaction is over', async () => {
      await store.transaction(async (tx) => {
        await tx.insert({ table: TABLE, values: { id: 1, code: 'a' } })
        const { count: changed } = await tx.update({
          table: TABLE,
          set: { count: new Increment(1) },
          where: is(1),
          last: true,
        })
        expect(changed).toBe(1)
      })
      await store.transaction((tx) => tx.insert({ table: TABLE, values: { id: 2, code: 'b' }, last: true }))
      expect(await all()).toEqual([
        { id: 1, code: 'a', count: 1 },
        { id: 2, code: 'b', count: 0 },
      ])
    })

    test('undoes what was before it where it is refused', async () => {
      await store.transaction((tx) => tx.insert({ table: TABLE, values: { id: 1, code: 'a' }, last: true }))
      const refused = store.transaction(async (tx) => {
        await tx.update({ table: TABLE, set: { count: 7 }, where: is(1) })
        await tx.insert({ table: TABLE, values: { id: 2, code: 'a' }, last: true })
      })
      await expect(refused).rejects.toMatchObject({ kind: 'unique', columns: ['code'] })
      const alone = store.transaction((tx) =>
        tx.insert({ table: TABLE, values: { id: 3, code: 'a' }, last: true }),
      )
      await expect(alone).rejects.toMatchObject({ kind: 'unique', columns: ['code'] })
      expect(await all()).toEqual([{ id: 1, code: 'a', count: 0 }])
    })

    test('lets nothing follow it', async () => {
      const going = store.transaction(async (tx) => {
        await tx.insert({ table: TABLE, values: { id: 1 }, last: true })
        await tx.update({ table: TABLE, set: { count: 7 }, where: is(1) })
      })
      await expect(going).rejects.toThrow('has ended')
    })

    test('leaves no step to those who count at the same time', async () => {
      await store.transaction((tx) => tx.insert({ table: TABLE, values: { id: 1 }, last: true }))
      const step = () =>
        store.transaction(async (tx) => {
          const [row] = await tx.select({ ...read, where: is(1), lock: true })
          await tx.update({
            table: TABLE,
            set: { count: Number(row?.['count']) + 1 },
            where: is(1),
            last: true,
          })
        })
      await Promise.all(Array.from({ length: 40 }, step))
      expect(await all()).toMatchObject([{ count: 40 }])
    })
  })
}
