import { describe, expect, onTestFinished, test } from 'vitest'
import { startStore, STORES } from '../../../test/kit/stores.ts'
import { column, type Column, type Table } from './contract.ts'

const number: Column = { ...column('number', 'integer'), numbered: true }
const text = column('text', 'text')
const LINE: Table = {
  name: 'line',
  columns: [number, text],
  primaryKey: [number],
  indexes: [],
  foreignKeys: [],
}

for (const under of STORES) {
  describe(`a numbered column on the ${under.name} store`, () => {
    test('gives rows ascending numbers, and never one again', async () => {
      const database = await under.open()
      const { store, stop } = await startStore(under, database)
      onTestFinished(async () => {
        await stop()
        await database.drop()
      })
      await store.ensure([LINE])
      await store.ensure([LINE])
      const write = (...texts: string[]) =>
        store.transaction((tx) => tx.insertRows({ table: LINE, rows: texts.map((one) => ({ text: one })) }))
      const all = async () =>
        (
          await store.select({
            table: LINE,
            columns: LINE.columns,
            where: { op: 'always' },
            order: [{ column: number, descending: false }],
          })
        ).map((row) => [row['number'], row['text']])
      await write('a', 'b')
      await store.transaction((tx) => tx.insert({ table: LINE, values: { text: 'c' } }))
      expect(await all()).toEqual([
        [1, 'a'],
        [2, 'b'],
        [3, 'c'],
      ])
      await store.transaction((tx) =>
        tx.remove({ table: LINE, where: { op: 'gte', column: number, value: 2 } }),
      )
      await write('d')
      expect(await all()).toEqual([
        [1, 'a'],
        [4, 'd'],
      ])
    })
  })
}
