import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startStore, STORES } from '../../../test/kit/stores.ts'
import type { Column, Condition, Order, Store, Table } from './contract.ts'

const id: Column = { name: 'id', kind: 'integer', nullable: false }
const rank: Column = { name: 'rank', kind: 'integer', nullable: true }
const flag: Column = { name: 'flag', kind: 'boolean', nullable: true }
const TABLE: Table = {
  name: 'deep',
  columns: [id, rank, flag],
  primaryKey: [id],
  indexes: [{ name: 'deep_rank_idx', columns: [rank, id], unique: false }],
  foreignKeys: [],
}
const ROWS = 400
const SIZE = 15

for (const under of STORES) {
  describe(`pages far down on ${under.name}`, () => {
    let store: Store
    let stop: () => Promise<void>

    beforeAll(async () => {
      ;({ store, stop } = await startStore(under))
      await store.ensure([TABLE])
      const rows = Array.from({ length: ROWS }, (_, at) => ({
        id: at,
        // Many that are equal, and some that are not there.
        rank: at % 11 === 0 ? null : (at * 7) % 5,
        flag: at % 3 === 0,
      }))
      await store.transaction((tx) => tx.insertRows({ table: TABLE, rows }))
    })
    afterAll(() => stop())

    for (const descending of [false, true]) {
      test(`are those of the whole, ${descending ? 'descending' : 'ascending'}, under a condition too`, async () => {
        const order: readonly Order[] = [
          { column: rank, descending },
          { column: id, descending },
        ]
        const conditions: readonly Condition[] = [
          { op: 'always' },
          { op: 'eq', column: flag, value: false },
          { op: 'null', column: rank },
        ]
        for (const where of conditions) {
          const plan = { table: TABLE, columns: TABLE.columns, where, order }
          const whole = await store.select(plan)
          const pages = []
          for (let offset = 0; offset <= ROWS; offset += SIZE)
            pages.push(...(await store.select({ ...plan, limit: SIZE, offset })))
          expect(pages).toEqual(whole)
        }
      })
    }
  })
}
