import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startStore, STORES } from '../../../test/kit/stores.ts'
import { type Condition, type Store, StoreConflict, type Table } from './contract.ts'

const id = { name: 'id', kind: 'integer', nullable: false } as const
const title = { name: 'title', kind: 'text', nullable: false } as const
const tags = { name: 'tags', kind: 'json', nullable: true } as const
const active = { name: 'active', kind: 'boolean', nullable: false, default: true } as const
const LINES: Table = {
  name: 'journal_line',
  columns: [id, title, tags, active],
  primaryKey: [id],
  indexes: [],
  foreignKeys: [],
}
const ALWAYS: Condition = { op: 'always' }

for (const under of STORES) {
  describe(`the ${under.name} store`, () => {
    let store: Store
    let stop: () => Promise<void>

    beforeAll(async () => {
      ;({ store, stop } = await startStore(under))
      await store.ensure([LINES])
      await store.journal.ensure([LINES])
    })
    afterAll(() => stop())
    beforeEach(() =>
      store.transaction((tx) => tx.remove({ table: LINES, where: { op: 'gte', column: id, value: 0 } })),
    )
    const total = () => store.count({ table: LINES, where: ALWAYS })

    test('writes many rows at once, with their defaults, and leaves out those whose key is taken', async () => {
      await store.transaction((tx) => tx.insert({ table: LINES, values: { id: 7, title: 'seventh' } }))
      const rows = Array.from({ length: 131 }, (_, at) => ({ id: at, title: `t${at}`, tags: [at] }))
      const plan = { table: LINES, rows, onConflict: 'ignore' } as const
      expect(await store.transaction((tx) => tx.insertRows(plan))).toBe(130)
      const order = [{ column: id, descending: false }]
      const read = await store.select({ table: LINES, columns: LINES.columns, where: ALWAYS, order })
      expect(read).toEqual(
        rows
          .map((row) => (row.id === 7 ? { id: 7, title: 'seventh', tags: null } : row))
          .map((row) => ({ ...row, active: true })),
      )
    })

    test('writes none of many rows where one clashes and that was not to be ignored', async () => {
      const rows = [1, 2, 1].map((key) => ({ id: key, title: 'x' }))
      const clash = store.transaction((tx) => tx.insertRows({ table: LINES, rows }))
      await expect(clash).rejects.toThrow(StoreConflict)
      expect(await total()).toBe(0)
      expect(await store.transaction((tx) => tx.insertRows({ table: LINES, rows: [] }))).toBe(0)
    })

    test('a count is never older than the last write', async () => {
      for (let made = 0; made < 5; made += 1) {
        expect([await total(), await total()]).toEqual([made, made])
        await store.transaction((tx) => tx.insert({ table: LINES, values: { id: made, title: 'x' } }))
      }
      await store.transaction((tx) => tx.remove({ table: LINES, where: { op: 'eq', column: id, value: 0 } }))
      expect(await total()).toBe(4)
    })

    test('its journal takes writes and keeps them while a transaction of the store is open', async () => {
      const { journal } = store
      await store.transaction(async (tx) => {
        await tx.insert({ table: LINES, values: { id: 1, title: 'a record' } })
        await journal.transaction((aside) =>
          aside.insert({ table: LINES, values: { id: 2, title: 'a line' } }),
        )
      })
      expect(await journal.count({ table: LINES, where: { op: 'eq', column: title, value: 'a line' } })).toBe(
        1,
      )
      expect(journal.journal).toBe(journal)
    })
  })
}
