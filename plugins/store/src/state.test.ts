import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startStore, STORES } from '../../../test/kit/stores.ts'
import type { Column, Store, Table } from './contract.ts'

const id: Column = { name: 'id', kind: 'integer', nullable: false }
const TABLE: Table = { name: 'stated', columns: [id], primaryKey: [id], indexes: [], foreignKeys: [] }

for (const under of STORES) {
  describe(`the state of the ${under.name} store`, () => {
    let own: Awaited<ReturnType<typeof startStore>>
    let other: Awaited<ReturnType<typeof startStore>>

    beforeAll(async () => {
      own = await startStore(under)
      other = await startStore(under, own.database)
      await own.store.ensure([TABLE])
    })
    afterAll(async () => {
      await other.stop()
      await own.stop()
    })

    let next = 0
    const write = (store: Store) =>
      store.transaction((transaction) => transaction.insert({ table: TABLE, values: { id: (next += 1) } }))
    const count = () => own.store.count({ table: TABLE, where: { op: 'always' } })

    it('is never what it was before a commit, of this store or of another on the same database', async () => {
      const seen = new Set([await own.store.state()])
      for (const { store } of [own, own, other, other, own]) {
        await write(store)
        seen.add(await own.store.state())
      }
      expect(seen.size).toBe(6)
    })

    it('stands for what was there when it was asked for, whatever is under way', async () => {
      const before = await count()
      let open = () => {}
      let begun = () => {}
      const isBegun = new Promise<void>((resolve) => (begun = resolve))
      const writing = other.store.transaction(async (transaction) => {
        await transaction.insert({ table: TABLE, values: { id: (next += 1) } })
        begun()
        await new Promise<void>((resolve) => (open = resolve))
      })
      await isBegun
      const during = await own.store.state()
      expect(await count()).toBe(before)
      open()
      await writing
      expect(await own.store.state()).not.toBe(during)
      expect(await count()).toBe(before + 1)
    })
  })
}
