import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { filesKept } from '../../../../test/kit/at-rest.ts'
import { startStore, STORES, type TestDatabase } from '../../../../test/kit/stores.ts'
import { column, type Store, type Table } from '../contract.ts'

const id = column('id', 'integer')
const note = column('note', 'text')
const TABLE: Table = { name: 'thing', columns: [id, note], primaryKey: [id], indexes: [], foreignKeys: [] }

for (const under of STORES.filter(({ name }) => name === 'postgres')) {
  describe('a scrub on PostgreSQL', () => {
    let store: Store
    let database: TestDatabase
    let stop: () => Promise<void>
    beforeAll(async () => {
      ;({ store, database, stop } = await startStore(under))
      await store.ensure([TABLE])
    })
    afterAll(() => stop())

    /** A session that sees the rows as they are now. */
    async function looking(): Promise<Client> {
      const client = new Client(String(Object(Object.values(database.config())[0]).conninfo))
      await client.connect()
      await client.query('begin isolation level repeatable read; select 1')
      return client
    }

    test('leaves nothing of what was overwritten, however long somebody else still saw it', async () => {
      await store.transaction((tx) => tx.insert({ table: TABLE, values: { id: 1, note: 'canary' } }))
      const other = await looking()
      await store.transaction((tx) =>
        tx.update({ table: TABLE, set: { note: 'quiet' }, where: { op: 'eq', column: id, value: 1 } }),
      )
      let isDone = false
      const scrub = store.scrub([TABLE.name]).then(() => (isDone = true))
      await new Promise((resolve) => setTimeout(resolve, 200))
      expect(isDone).toBe(false)
      await other.query('commit')
      await scrub
      await other.end()
      expect((await filesKept(database)).includes('canary')).toBe(false)
    })
  })
}
