import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { filesKept } from '../../../../test/kit/at-rest.ts'
import { command, startStore, STORES, type TestDatabase } from '../../../../test/kit/stores.ts'
import { column, type Store, type Table } from '../contract.ts'

const id = column('id', 'integer')
const note = column('note', 'text')
const TABLE: Table = { name: 'thing', columns: [id, note], primaryKey: [id], indexes: [], foreignKeys: [] }

/** Longer than tables are written anew in vain. */
const HELD_MS = 1_000

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

    const conninfo = () => new URL(String(Object(Object.values(database.config())[0]).conninfo))

    /** Runs statements as the role that owns the server. */
    async function asOwner(...statements: readonly string[]): Promise<void> {
      for (const sql of statements) await command(conninfo().href, sql)
    }

    /** Lets a scrub begin while somebody, who sees the rows unless said, keeps the word that is overwritten then. */
    async function scrubbedBeside(
      scrubbing: Store,
      keeps = 'begin isolation level repeatable read; select 1',
      at = conninfo().href,
    ): Promise<void> {
      const other = new Client(at)
      await other.connect()
      await other.query(keeps)
      await overwrite(scrubbing)
      let isDone = false
      const scrub = scrubbing.scrub([TABLE.name]).then(() => (isDone = true))
      await new Promise((resolve) => setTimeout(resolve, HELD_MS))
      expect(isDone).toBe(false)
      await other.query('commit')
      await scrub
      await other.end()
      expect((await filesKept(database)).includes('canary')).toBe(false)
    }

    const overwrite = (on: Store) =>
      on.transaction((tx) =>
        tx.update({ table: TABLE, set: { note: 'quiet' }, where: { op: 'eq', column: id, value: 1 } }),
      )

    beforeEach(async () => {
      await asOwner('delete from thing')
      await store.transaction((tx) => tx.insert({ table: TABLE, values: { id: 1, note: 'canary' } }))
    })

    test('leaves nothing of what was overwritten, however long somebody else still saw it', async () => {
      await scrubbedBeside(store)
    })

    test('leaves nothing of what was overwritten, however long somebody wrote to another database of the server', async () => {
      const another = await under.open()
      const { href } = new URL(String(Object(Object.values(another.config())[0]).conninfo))
      await scrubbedBeside(store, 'begin; select txid_current()', href)
      await another.drop()
    })

    test('leaves nothing of what the server has sampled', async () => {
      await asOwner(`insert into thing select n, 'canary' from generate_series(2, 9) n`, 'analyze thing')
      await asOwner(`update thing set note = 'quiet'`)
      await store.scrub([TABLE.name])
      expect((await filesKept(database)).includes('canary')).toBe(false)
    })

    describe('by a role that may see little of others', () => {
      const role = `plain_${randomBytes(6).toString('hex')}`
      let plain: Awaited<ReturnType<typeof startStore>>
      beforeAll(async () => {
        await asOwner(`create role ${role} login`, `grant all on schema public to ${role}`)
        await asOwner(`alter table thing owner to ${role}`)
        const own = conninfo()
        own.username = role
        const config = () => ({ postgres: { conninfo: own.href } })
        plain = await startStore(under, { config, drop: () => Promise.resolve() })
      })
      afterAll(async () => {
        await plain.stop()
        await asOwner(`reassign owned by ${role} to current_user`, `drop owned by ${role}`)
        await asOwner(`drop role ${role}`)
      })

      test('leaves nothing of what was overwritten, however long somebody else still saw it', async () => {
        await scrubbedBeside(plain.store)
      })

      test('rewrites the samples where it owns the database, and leaves them where it does not', async () => {
        const sampled = async () => {
          await asOwner(`update thing set note = 'canary'`)
          await asOwner(`insert into thing select n, 'canary' from generate_series(2, 9) n`, 'analyze thing')
          await asOwner(`delete from thing where id > 1`, `update thing set note = 'quiet'`)
          await plain.store.scrub([TABLE.name])
          return (await filesKept(database)).includes('canary')
        }
        // What is left then is for the server to overwrite.
        await sampled()
        await asOwner(`alter database ${conninfo().pathname.slice(1)} owner to ${role}`)
        expect(await sampled()).toBe(false)
      })
    })
  })
}
