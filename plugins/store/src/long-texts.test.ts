import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startStore, STORES, type TestDatabase } from '../../../test/kit/stores.ts'
import { Compiler } from './compile/compiler.ts'
import { select } from './compile/select.ts'
import type { Column, Condition, Order, Row, SelectPlan, Store, Table } from './contract.ts'
import { postgresDialect } from './postgres/dialect.ts'

const id: Column = { name: 'id', kind: 'integer', nullable: false }
const code: Column = { name: 'code', kind: 'text', nullable: true, long: true }
const note: Column = { name: 'note', kind: 'text', nullable: true, long: true }
const part: Column = { name: 'part', kind: 'integer', nullable: true }
const TEXTS: Table = {
  name: 'texts',
  columns: [id, code, note, part],
  primaryKey: [id],
  indexes: [
    { name: 'texts_code', columns: [code], unique: true },
    { name: 'texts_note', columns: [note, id], unique: false },
    { name: 'texts_all', columns: [note, part, code], unique: true },
  ],
  foreignKeys: [],
}

/** As long as a text may be that no index takes: what is left of it when it is compressed. */
const noise = (): string => randomBytes(6_000).toString('base64')
/** Begins like all others, in characters of every width. */
const ALIKE = 'aä€𐍈'.repeat(30)

const OF = { column: code } as const
const all = { op: 'always' } as const
const byCode = (descending: boolean): readonly Order[] => [
  { ...OF, descending },
  { column: id, descending: false },
]
const codeOf = (row: Row): string | null => (typeof row['code'] === 'string' ? row['code'] : null)

/** By code point, which in UTF-8 is by bytes; what is missing comes first. */
const ascending = (a: string | null, b: string | null): number =>
  Buffer.compare(Buffer.from(a ?? ''), Buffer.from(b ?? '')) || Number(a !== null) - Number(b !== null)

for (const under of STORES) {
  describe(`long texts that an index covers on ${under.name}`, () => {
    let store: Store
    let database: TestDatabase
    let stop: () => Promise<void>
    const texts = [
      ...Array.from({ length: 4 }, noise),
      ...Array.from({ length: 4 }, (_, at) => ALIKE + at + noise()),
      '',
      'a',
      ALIKE,
      `${ALIKE}\\`,
      `${ALIKE}\\\\`,
      `${ALIKE}\\134`,
      'aä€𐍈',
      '\\',
      '\\x00',
      "'",
      null,
    ]
    const rows = texts.map((text, at) => ({ id: at, code: text, note: text, part: at % 2 }))

    beforeAll(async () => {
      ;({ store, stop, database } = await startStore(under))
      await store.ensure([TEXTS])
      await store.transaction((tx) => tx.insertRows({ table: TEXTS, rows }))
    })
    afterAll(() => stop())

    const read = async (where: Condition, more: Partial<SelectPlan> = {}) =>
      (await store.select({ table: TEXTS, columns: [code], where, order: byCode(false), ...more })).map(
        codeOf,
      )
    const sorted = (which: (text: string) => boolean) =>
      texts.filter((text): text is string => text !== null && which(text)).toSorted(ascending)

    it('are found by their whole value', async () => {
      for (const text of sorted(() => true))
        expect(await read({ op: 'eq', ...OF, value: text })).toEqual([text])
      expect(await read({ op: 'eq', ...OF, value: `${ALIKE}none` })).toEqual([])
      const two = sorted((text) => text.startsWith(ALIKE)).slice(1, 3)
      expect(await read({ op: 'in', ...OF, values: [...two, 'none'] })).toEqual(two)
      expect(await read({ op: 'not', of: { op: 'in', ...OF, values: two } })).toHaveLength(texts.length - 2)
      expect(await read({ op: 'null', ...OF })).toEqual([null])
      expect(await read({ op: 'not', of: { op: 'null', ...OF } })).toHaveLength(texts.length - 1)
    })

    it('are compared by all of their characters', async () => {
      for (const value of sorted(() => true)) {
        const is = (op: 'lt' | 'lte' | 'gt' | 'gte' | 'ne') => ({ op, ...OF, value }) as const
        expect(await read(is('lt'))).toEqual(sorted((text) => ascending(text, value) < 0))
        expect(await read(is('lte'))).toEqual(sorted((text) => ascending(text, value) <= 0))
        expect(await read(is('gt'))).toEqual(sorted((text) => ascending(text, value) > 0))
        expect(await read(is('gte'))).toEqual(sorted((text) => ascending(text, value) >= 0))
        expect(await read({ op: 'not', of: is('ne') })).toEqual([value])
        expect(await read({ op: 'not', of: is('lt') })).toEqual([
          null,
          ...sorted((text) => ascending(text, value) >= 0),
        ])
      }
    })

    it('are put in order by all of their characters, each way', async () => {
      const wanted = texts.toSorted(ascending)
      expect(await read(all)).toEqual(wanted)
      expect(await read(all, { order: byCode(true) })).toEqual(wanted.toReversed())
      const distinct = { distinct: true, order: [{ ...OF, descending: true }] }
      expect(await read(all, distinct)).toEqual(wanted.toReversed())
    })

    it('are unique by all of their characters', async () => {
      const add = (values: Row) =>
        store.transaction((tx) => tx.insert({ table: TEXTS, values: { id: 1_000, ...values } }))
      for (const text of [noise(), ALIKE + noise()]) {
        const where = { op: 'eq', column: id, value: 1_000 } as const
        expect(await add({ code: text, note: `${text}.`, part: 1 })).toBe(1)
        const again = { table: TEXTS, values: { id: 1_001, code: text }, onConflict: 'ignore' } as const
        expect(await store.transaction((tx) => tx.insert(again))).toBe(0)
        await store.transaction((tx) => tx.remove({ table: TEXTS, where }))
      }
      const [first, second] = rows.filter(({ code: text }) => text?.startsWith(ALIKE))
      await expect(add({ code: first?.code ?? '' })).rejects.toMatchObject({
        kind: 'unique',
        columns: ['code'],
      })
      const change = { table: TEXTS, set: { code: second?.code ?? '' } }
      const where = { op: 'eq', column: id, value: first?.id ?? 0 } as const
      await expect(store.transaction((tx) => tx.update({ ...change, where }))).rejects.toMatchObject({
        columns: ['code'],
      })
    })

    it('are refused where they repeat and become unique', async () => {
      const repeats: Column = { ...note, name: 'repeats' }
      const table: Table = { ...TEXTS, name: 'repeating', columns: [id, repeats], indexes: [] }
      await store.ensure([table])
      const text = noise()
      const two = [1, 2].map((key) => ({ id: key, repeats: text }))
      await store.transaction((tx) => tx.insertRows({ table, rows: two }))
      const index = { name: 'repeating_repeats', columns: [repeats], unique: true }
      const made = store.define((definition) => definition.apply({ kind: 'createIndex', table, index }))
      await expect(made).rejects.toMatchObject({ kind: 'unique', columns: ['repeats'] })
    })

    if (under.name === 'postgres') inPostgres(() => ({ store, database }))
  })
}

function inPostgres(given: () => { readonly store: Store; readonly database: TestDatabase }): void {
  let client: Client
  beforeAll(async () => {
    const { postgres: section } = given().database.config()
    client = new Client(String(Object(section)['conninfo']))
    await client.connect()
  })
  afterAll(() => client.end())

  const compiler = new Compiler(postgresDialect({ lowerCollation: 'und-x-icu', trigramSchema: undefined }))
  async function planOf(plan: Omit<SelectPlan, 'table' | 'columns'>): Promise<string> {
    const { statement, values } = compiler.call(select, { table: TEXTS, columns: [id], ...plan })
    await client.query('set enable_seqscan = off; set enable_bitmapscan = off')
    const explained = { text: `explain ${statement.sql}`, values: [...values] }
    const { rows } = await client.query<Record<string, string>>(explained)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }

  it('are looked up in the index, and read from it in order', async () => {
    const value = noise()
    const found: readonly Condition[] = [
      { op: 'eq', ...OF, value },
      { op: 'in', ...OF, values: [value] },
      { op: 'gt', ...OF, value },
    ]
    for (const where of found)
      expect(await planOf({ where, order: [] })).toMatch(
        /Index Scan using texts_code.*\n\s+Index Cond: .*left/,
      )
    for (const descending of [true, false]) {
      const order = [note, id].map((column) => ({ column, descending }))
      const plan = await planOf({ where: all, order: order.slice(0, 1), limit: 5 })
      expect(plan).toMatch(/Incremental Sort[^]*Index Scan.* using texts_(note|all)/)
    }
  })

  it('get an index of this form where an earlier release made another', async () => {
    const { store } = given()
    const shape = async () => {
      const { rows } = await client.query<{ is: string }>(
        "select pg_get_indexdef('texts_code'::regclass) || 'texts_code'::regclass::oid as is",
      )
      return rows[0]?.is
    }
    // Rows that are removed one by one stay in the way of the plain index as long as any transaction may see them.
    await client.query('truncate texts')
    await client.query('drop index texts_code; create unique index texts_code on texts (code nulls first)')
    await store.ensure([TEXTS])
    const made = await shape()
    expect(made).toContain('left')
    await store.ensure([TEXTS])
    expect(await shape()).toBe(made)
  })
}
