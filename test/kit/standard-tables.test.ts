import { describe, expect, it } from 'vitest'
import { rowsKept } from './at-rest.ts'
import { startSecond } from './second-server.ts'
import { standardTables } from './standard-tables.ts'
import { createClock } from './clock.ts'
import { startStore, STORES, type StoreUnderTest, type TestDatabase } from './stores.ts'

const catalogOf = async (store: StoreUnderTest, database: TestDatabase) => {
  const started = await startStore(store, database)
  const { tables } = await started.store.catalog()
  await started.stop()
  return tables
}

for (const store of STORES)
  describe(`a database with the standard tables on ${store.name}`, () => {
    it('has no row, and what a first start makes of nothing', { timeout: 60_000 }, async () => {
      const [filled, empty] = [await store.open(standardTables), await store.open()]
      const rows = Object.fromEntries(await rowsKept(filled))
      expect(Object.keys(rows).length).toBeGreaterThan(20)
      const made = await catalogOf(store, filled)
      // Those of SQLite itself, and of its full-text indexes, are no tables of the store.
      for (const { name } of made) expect([name, rows[name]]).toEqual([name, '[]'])
      const first = await startSecond(empty, createClock())
      await first.stop()
      expect(made).toEqual(await catalogOf(store, empty))
      await filled.drop()
      await empty.drop()
    })
  })
