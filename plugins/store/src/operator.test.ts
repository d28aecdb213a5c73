import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startStore, STORES, type TestDatabase } from '../../../test/kit/stores.ts'
import { Compiler } from './compile/compiler.ts'
import { select } from './compile/select.ts'
import {
  column,
  columnAt,
  type Condition,
  fragment,
  type Operator,
  type Store,
  type Table,
  valueAt,
} from './contract.ts'
import { postgresDialect } from './postgres/dialect.ts'

/** Whether a point lies in a box: west, south, east, north. */
const IN_BOX: Operator = {
  name: 'inBox',
  writings: [
    {
      needs: 'gist',
      sql: fragment`point(${columnAt(0)}, ${columnAt(1)}) <@ box(point(${valueAt(0)}, ${valueAt(1)}), point(${valueAt(2)}, ${valueAt(3)}))`,
    },
    {
      sql: fragment`${columnAt(1)} between ${valueAt(1)} and ${valueAt(3)} and ${columnAt(0)} between ${valueAt(0)} and ${valueAt(2)}`,
    },
  ],
}
const ON_SERVERS: Operator = { name: 'onServers', writings: [{ needs: 'skipLocked', sql: fragment`true` }] }
/** Asks twice for one value, and by a name that another operator has too. */
const CALLED: Operator = {
  name: 'inBox',
  writings: [{ sql: fragment`(${columnAt(0)} = ${valueAt(0)} or ${columnAt(0)} || '!' = ${valueAt(0)})` }],
}

const id = column('id', 'integer')
const name = column('name', 'text', true)
const lon = column('lon', 'float', true)
const lat = column('lat', 'float', true)
const HUT: Table = {
  name: 'hut',
  columns: [id, name, lon, lat],
  primaryKey: [id],
  indexes: [
    {
      name: 'hut_place',
      columns: [lon, lat],
      unique: false,
      custom: [
        { needs: 'gist', sql: fragment`using gist (point(${columnAt(0)}, ${columnAt(1)}))` },
        { sql: fragment`(${columnAt(1)}, ${columnAt(0)})` },
      ],
    },
    {
      name: 'hut_elsewhere',
      columns: [name],
      unique: false,
      custom: [{ needs: 'gist', sql: fragment`using hash (${columnAt(0)})` }],
    },
  ],
  foreignKeys: [],
}
const inBox = (...values: readonly number[]): Condition => ({
  op: 'custom',
  operator: IN_BOX,
  columns: [lon, lat],
  values,
})
const called = (text: string): Condition => ({
  op: 'custom',
  operator: CALLED,
  columns: [name],
  values: [text],
})
const NORTH = inBox(-180, 0, 180, 90)

for (const under of STORES) {
  describe(`an operator of a plugin on the ${under.name} store`, () => {
    let store: Store
    let database: TestDatabase
    let stop: () => Promise<void>
    beforeAll(async () => {
      ;({ store, database, stop } = await startStore(under))
      await store.ensure([HUT])
      const rows = [
        { id: 1, name: 'Alps', lon: 10, lat: 46.5 },
        { id: 2, name: 'Oslo', lon: 10.7, lat: 59.9 },
        { id: 3, name: 'Lima', lon: -77, lat: -12 },
        { id: 4, name: 'Nowhere', lon: null, lat: null },
      ]
      await store.transaction((tx) => tx.insertRows({ table: HUT, rows }))
    })
    afterAll(() => stop())

    const names = async (where: Condition) =>
      (
        await store.select({
          table: HUT,
          columns: [name],
          where,
          order: [{ column: id, descending: false }],
        })
      ).map((row) => row['name'])

    test('picks rows, and its negation exactly the others', async () => {
      expect(await names(NORTH)).toEqual(['Alps', 'Oslo'])
      expect(await names(inBox(10, 46.5, 10, 46.5))).toEqual(['Alps'])
      expect(await names({ op: 'not', of: NORTH })).toEqual(['Lima', 'Nowhere'])
    })

    test('stands wherever a condition does', async () => {
      expect(await names({ op: 'or', of: [{ op: 'eq', column: id, value: 4 }, NORTH] })).toEqual([
        'Alps',
        'Oslo',
        'Nowhere',
      ])
      expect(await store.count({ table: HUT, where: NORTH })).toBe(2)
      expect(await names({ op: 'exists', table: HUT, on: [[id, id]], where: NORTH })).toEqual([
        'Alps',
        'Oslo',
      ])
      const measures = { north: { fn: 'count', where: NORTH }, all: { fn: 'count' } } as const
      expect(await store.aggregate({ table: HUT, where: { op: 'always' }, by: {}, measures })).toEqual([
        { north: 2, all: 4 },
      ])
      const changed = await store.transaction((tx) =>
        tx.update({ table: HUT, set: { name: 'Alps!' }, where: inBox(10, 46, 10, 47) }),
      )
      expect(changed.count).toBe(1)
      expect(await names(called('Alps!'))).toEqual(['Alps!'])
      await store.transaction((tx) => tx.update({ table: HUT, set: { name: 'Alps' }, where: NORTH }))
      await store.transaction((tx) =>
        tx.update({ table: HUT, set: { name: 'Oslo' }, where: inBox(10.7, 59, 11, 60) }),
      )
    })

    test('binds its values, as often as they have a place, and is known by itself and not by its name', async () => {
      expect(await names(called('Alps'))).toEqual(['Alps'])
      expect(await names(called('Oslo!'))).toEqual(['Oslo'])
      expect(await names(called(`' or true or '`))).toEqual([])
      await expect(names({ op: 'custom', operator: CALLED, columns: [name], values: [] })).rejects.toThrow(
        "'inBox' has no value 0",
      )
      await expect(names({ op: 'custom', operator: CALLED, columns: [], values: ['x'] })).rejects.toThrow(
        'a place for a column 0',
      )
    })

    test('is refused by a store that has not what it needs', async () => {
      const where: Condition = { op: 'custom', operator: ON_SERVERS, columns: [], values: [] }
      if (store.features.has('skipLocked')) expect(await names(where)).toHaveLength(4)
      else await expect(names(where)).rejects.toThrow("this store cannot compare by 'onServers'")
      await expect(store.transaction((tx) => tx.remove({ table: HUT, where }))).rejects.toThrow()
    })

    test('is served by that index', async () => {
      if (under.name !== 'postgres') return
      const client = new Client(String(Object(Object.values(database.config())[0])['conninfo']))
      await client.connect()
      try {
        const dialect = postgresDialect({ lowerCollation: 'default', trigramSchema: undefined })
        const plan = { table: HUT, columns: [name], where: NORTH, order: [] }
        const { statement, values } = new Compiler(dialect).call(select, plan)
        await client.query('set enable_seqscan = off')
        const { rows } = await client.query(`explain ${statement.sql}`, [...values])
        expect(JSON.stringify(rows)).toContain('hut_place')
      } finally {
        await client.end()
      }
    })

    test('has an index of its own, where the store can make it', async () => {
      const { tables } = await store.catalog()
      const there = tables.find((table) => table.name === 'hut')!.indexes.map((index) => index.name)
      expect(there).toContain('hut_place')
      expect(there.includes('hut_elsewhere')).toBe(store.features.has('gist'))
      const [index] = HUT.indexes
      const made = store.explain({ kind: 'createIndex', table: HUT, index: index! })
      expect(made).toEqual([
        store.features.has('gist')
          ? 'create index "hut_place" on "hut" using gist (point("lon", "lat"))'
          : 'create index "hut_place" on "hut" ("lat", "lon")',
      ])
    })
  })
}

test('SQL that is put together when it runs is refused', () => {
  const built = Object.assign(['drop table ', ''], { raw: ['drop table ', ''] })
  expect(() => fragment(built, columnAt(0))).toThrow('what comes from elsewhere is no SQL')
})

test('a backslash that JavaScript makes nothing of is refused', () => {
  expect(() => fragment`${columnAt(0)} ~ '\1'`).toThrow('it is written twice')
})
