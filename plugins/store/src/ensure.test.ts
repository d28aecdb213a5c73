import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { askPostgres } from '../../../test/kit/ask-postgres.ts'
import { behind } from '../../../test/kit/behind.ts'
import { startStore, STORES, type TestDatabase } from '../../../test/kit/stores.ts'
import type { Column, Store, Table } from './contract.ts'

const id: Column = { name: 'id', kind: 'integer', nullable: false }
const size: Column = { name: 'size', kind: 'integer', nullable: true }
const word: Column = { name: 'word', kind: 'text', nullable: true }
const called = (name: string, index = `${name}_size`): Table => ({
  name,
  columns: [id, size, word],
  primaryKey: [id],
  indexes: [{ name: index, columns: [size, id], unique: false }],
  foreignKeys: [],
})
const OWN = called('own_thing')
const OTHERS = [1, 2, 3].map((at) => called(`other_thing_${at}`))
/** What a list of names could take for its own signs, and letters that a server could fold. */
const ODD = [`a,b`, `c"d`, `e'f`, '{g}', 'h\\i', 'NULL', 'Ünder', 'Jk', '%l_'].map((name, at) =>
  called(name, `odd_${at}`),
)

for (const under of STORES) {
  describe(`tables that are to be there, on ${under.name}`, () => {
    let store: Store
    let database: TestDatabase
    let stop: () => Promise<void>
    beforeAll(async () => {
      ;({ store, database, stop } = await startStore(under))
      await store.ensure([OWN, ...OTHERS])
    })
    afterAll(() => stop())

    const present = async () =>
      new Map((await store.catalog()).tables.map((table) => [table.name, table] as const))
    const rowsOf = (table: Table) =>
      store.select({ table, columns: table.columns, where: { op: 'always' }, order: [] })

    test('get back what somebody took from them by hand, and keep their rows', async () => {
      await store.transaction((tx) => tx.insert({ table: OWN, values: { id: 1, size: 5, word: 'kept' } }))
      const before = await present()
      await behind(database, 'drop index own_thing_size')
      await behind(database, 'alter table own_thing drop column size')
      await behind(database, 'alter table own_thing add column strange integer')
      await store.ensure([OWN])
      const after = await present()
      expect(
        after
          .get('own_thing')
          ?.columns.map(({ name }) => name)
          .toSorted(),
      ).toEqual(['id', 'size', 'strange', 'word'])
      expect(after.get('own_thing')?.indexes).toEqual(before.get('own_thing')?.indexes)
      expect(await rowsOf(OWN)).toEqual([{ id: 1, size: null, word: 'kept' }])
      for (const { name } of OTHERS) expect(after.get(name)).toEqual(before.get(name))
    })

    test('lose the indexes that they had once, and no others', async () => {
      await store.transaction((tx) => tx.insert({ table: OWN, values: { id: 2, size: 6, word: 'kept' } }))
      const before = await rowsOf(OWN)
      const more = { name: 'own_thing_word', columns: [word], unique: false }
      await store.ensure([{ ...OWN, indexes: [...OWN.indexes, more] }])
      const indexes = async () => (await present()).get('own_thing')!.indexes.map(({ name }) => name)
      expect(await indexes()).toEqual(expect.arrayContaining(['own_thing_size', 'own_thing_word']))
      await store.ensure([OWN])
      expect(await indexes()).toContain('own_thing_word')
      for (let time = 0; time < 2; time++) await store.ensure([{ ...OWN, formerIndexes: [more] }])
      expect(await indexes()).toEqual(['own_thing_size'])
      expect(await rowsOf(OWN)).toEqual(before)
    })

    test('are made again where somebody dropped one by hand', async () => {
      await behind(database, 'drop table other_thing_2')
      await store.ensure([OWN, ...OTHERS])
      expect(await rowsOf(OTHERS[1]!)).toEqual([])
    })

    test('are known again whatever their names are made of', async () => {
      await store.ensure(ODD)
      const made = await present()
      expect(ODD.filter(({ name }) => !made.has(name))).toEqual([])
      // A second look would fail over what is there, were it not found.
      await store.ensure(ODD)
      for (const table of ODD) await store.ensure([table])
      expect(await present()).toEqual(made)
    })

    test("are known together where they are the service's own, until the schema changes", async () => {
      const shared = await under.open()
      const own = [1, 2].map((at) => called(`svc_own_${at}`))
      const first = await startStore(under, shared)
      for (const table of own) await first.store.ensure([table])
      await first.stop()
      const second = await startStore(under, shared)
      for (const table of own) await second.store.ensure([table])
      const made = await second.store.catalog()
      const lacking = {
        ...own[1]!,
        indexes: [...own[1]!.indexes, { name: 'svc_own_word', columns: [word], unique: false }],
      }
      await second.store.ensure([lacking])
      await second.store.define((tx) => tx.apply({ kind: 'dropTable', table: own[0]! }))
      for (const table of own) await second.store.ensure([table])
      const names = (catalog: typeof made) => catalog.tables.map(({ name }) => name).toSorted()
      const again = await second.store.catalog()
      expect(names(again)).toEqual(names(made))
      expect(again.tables.flatMap(({ indexes }) => indexes.map(({ name }) => name))).toContain('svc_own_word')
      await second.stop()
      await shared.drop()
    })

    test('are made once by servers that start at once, each with some of its own', async () => {
      const shared = await under.open()
      const mine = [1, 2, 3].map((at) => called(`mine_${at}`))
      const servers = await Promise.all(mine.map(() => startStore(under, shared)))
      await Promise.all(servers.map((one, at) => one.store.ensure([OWN, mine[at]!, ...OTHERS])))
      const tables = (await servers[0]!.store.catalog()).tables
      expect(tables.map(({ name }) => name).toSorted()).toEqual(
        [OWN, ...mine, ...OTHERS].map(({ name }) => name).toSorted(),
      )
      for (const { indexes } of tables) expect(indexes).toHaveLength(1)
      for (const one of servers) await one.stop()
      await shared.drop()
    })
  })
}

describe('PostgreSQL', () => {
  for (const under of STORES.filter(({ name }) => name === 'postgres')) {
    test('is asked for the tables that are to be there, and for no other', async () => {
      const { store, stop } = await startStore(under)
      await store.ensure([OWN, ...OTHERS])
      const query = vi.spyOn(Client.prototype, 'query')
      await store.ensure([OWN])
      const answers = await Promise.all(query.mock.results.map(({ value }) => value))
      query.mockRestore()
      expect(answers.flatMap((answer) => Object(answer).rows ?? []).map(({ name }) => name)).toEqual([
        'own_thing',
      ])
      await stop()
    })

    test('is asked once for the tables of a service that starts', async () => {
      const shared = await under.open()
      const own = [1, 2, 3].map((at) => called(`svc_own_${at}`))
      const first = await startStore(under, shared)
      await first.store.ensure(own)
      await first.stop()
      const { store, stop } = await startStore(under, shared)
      const query = vi.spyOn(Client.prototype, 'query')
      for (const table of own) await store.ensure([table])
      const asked = query.mock.calls.filter(([text]) => JSON.stringify(text).includes('pg_attribute'))
      query.mockRestore()
      expect(asked).toHaveLength(1)
      await stop()
      await shared.drop()
    })

    test('has tables of the same name in other schemas, which are not those that are to be there', async () => {
      const { store, database, stop } = await startStore(under)
      await askPostgres(database, (client) =>
        client.query('create schema elsewhere; create table elsewhere.own_thing (id integer primary key)'),
      )
      await store.ensure([OWN])
      expect((await store.catalog()).tables).toMatchObject([{ name: 'own_thing', columns: [{}, {}, {}] }])
      await stop()
    })
  }
})
