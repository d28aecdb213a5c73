import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { filesKept } from '../../../../test/kit/at-rest.ts'
import { openSqlite, startStore, STORES } from '../../../../test/kit/stores.ts'
import { column, type Table } from '../contract.ts'

const id = column('id', 'integer')
const note = column('note', 'text')
const byNote = { name: 'thing_note', columns: [note], unique: false }
const TABLE: Table = {
  name: 'thing',
  columns: [id, note],
  primaryKey: [id],
  indexes: [byNote],
  foreignKeys: [],
}

const ALL = { op: 'gte', column: id, value: 0 } as const

test('a scrub of a file leaves nothing of values that somebody had sampled', async () => {
  const database = await openSqlite()
  const { store, stop } = await startStore(
    STORES.find(({ name }) => name === 'sqlite')!,
    database,
  )
  try {
    await store.ensure([TABLE])
    const rows = Array.from({ length: 20 }, (_, n) => ({ id: n, note: `canary ${n}` }))
    await store.transaction((tx) => tx.insertRows({ table: TABLE, rows }))
    const beside = new Database(String(Object(database.config()['sqlite']).path))
    beside.exec('analyze')
    expect(beside.prepare('select count(*) from sqlite_stat4').pluck().get()).toBeGreaterThan(0)
    beside.close()
    await store.transaction((tx) => tx.update({ table: TABLE, set: { note: 'quiet' }, where: ALL }))
    await store.scrub([TABLE.name])
    expect((await filesKept(database)).includes('canary')).toBe(false)
  } finally {
    await stop()
    await database.drop()
  }
})
