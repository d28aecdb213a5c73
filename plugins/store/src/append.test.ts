import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startStore, STORES } from '../../../test/kit/stores.ts'
import { column, type Column, type Store, type Table } from './contract.ts'

const ID = column('id', 'integer')
const TEXT = column('text', 'text', true)
const ENTRY: Table = {
  name: 'entry',
  columns: [ID, TEXT],
  primaryKey: [ID],
  indexes: [],
  foreignKeys: [],
}
const NUMBER: Column = { ...column('number', 'integer'), numbered: true }
const NOTE: Table = {
  name: 'note',
  columns: [NUMBER, TEXT],
  primaryKey: [NUMBER],
  indexes: [],
  foreignKeys: [],
}
const ALL = {
  table: ENTRY,
  columns: [ID],
  where: { op: 'always' },
  order: [{ column: ID, descending: false }],
} as const
const entry = (id: number, text = 'x') => ({ table: ENTRY, values: { id, text } })

for (const under of STORES) {
  describe(`rows that nobody waits for on ${under.name}`, () => {
    let store: Store
    let stop: () => Promise<void>
    beforeAll(async () => {
      ;({ store, stop } = await startStore(under))
      await store.ensure([ENTRY, NOTE])
    })
    afterAll(() => stop())
    const ids = async () => (await store.select(ALL)).map(({ id }) => id)
    const emptied = () =>
      store.transaction((tx) =>
        tx.remove({ table: ENTRY, where: { op: 'not', of: { op: 'null', column: ID } } }),
      )

    test('are seen by what comes after them, and there once the transaction is', async () => {
      const seen = await store.transaction(async (tx) => {
        await tx.append(entry(1))
        await tx.append(entry(2))
        return (await tx.select(ALL)).length
      })
      expect([seen, await ids()]).toEqual([2, [1, 2]])
      await store.transaction((tx) => tx.append(entry(3)))
      expect(await ids()).toEqual([1, 2, 3])
      await emptied()
    })

    test('are written in their order, however many, those of several tables between each other', async () => {
      await store.transaction(async (tx) => {
        for (let at = 0; at < 150; at += 1) {
          await tx.append({ table: NOTE, values: at % 2 === 0 ? { text: `n${at}` } : { text: null } })
          await tx.append(entry(at))
        }
        await tx.append({ table: NOTE, values: {} })
      })
      expect(await ids()).toEqual(Array.from({ length: 150 }, (_, at) => at))
      const order = [{ column: NUMBER, descending: false }]
      const notes = await store.select({ table: NOTE, columns: [TEXT], where: { op: 'always' }, order })
      expect(notes.map(({ text }) => text)).toEqual([
        ...Array.from({ length: 150 }, (_, at) => (at % 2 === 0 ? `n${at}` : null)),
        null,
      ])
      await emptied()
    })

    test('undo the whole transaction where they fail, whatever comes next', async () => {
      await store.transaction((tx) => tx.insert(entry(1)))
      const endings: readonly ((
        tx: Parameters<Parameters<Store['transaction']>[0]>[0],
      ) => Promise<unknown>)[] = [
        async () => undefined,
        (tx) => tx.select(ALL),
        (tx) => tx.insert(entry(9)),
        (tx) => tx.append(entry(8)),
      ]
      for (const ending of endings) {
        const work = store.transaction(async (tx) => {
          await tx.insert(entry(5))
          await tx.append(entry(1))
          await ending(tx)
        })
        await expect(work).rejects.toThrow()
        expect(await ids()).toEqual([1])
      }
      await emptied()
    })

    test('are undone with what throws beside them, and leave the connection as it was', async () => {
      for (let time = 0; time < 12; time += 1) {
        const work = store.transaction(async (tx) => {
          await tx.append(entry(1))
          await tx.append(entry(1))
          throw new Error('no')
        })
        await expect(work).rejects.toThrow()
      }
      await store.transaction((tx) => tx.append(entry(4)))
      expect(await ids()).toEqual([4])
      await emptied()
    })

    test('are undone with their savepoint, and without it stay', async () => {
      await store.transaction(async (tx) => {
        await tx.append(entry(1))
        const failing = tx.savepoint(async () => {
          await tx.append(entry(2))
          throw new Error('no')
        })
        await expect(failing).rejects.toThrow('no')
        await tx.savepoint(() => tx.append(entry(3)))
        const clashing = tx.savepoint(async () => {
          await tx.append(entry(4))
          await tx.append(entry(3))
        })
        await expect(clashing).rejects.toThrow()
      })
      expect(await ids()).toEqual([1, 3])
      await emptied()
    })
  })
}
