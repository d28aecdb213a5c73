import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startStore, STORES } from '../../../test/kit/stores.ts'
import type { Column, Condition, Row, Store, Table } from './contract.ts'

const id: Column = { name: 'id', kind: 'uuid', nullable: false }
const title: Column = { name: 'title', kind: 'text', nullable: false }
/** A name that means something to SQLite's full-text tables. */
const body: Column = { name: 'rank', kind: 'text', nullable: true }
const parent: Column = { name: 'parent', kind: 'uuid', nullable: true }
const NOTES: Table = {
  name: 'desk_note',
  columns: [id, title, body, parent],
  primaryKey: [id],
  indexes: [{ name: 'desk_note_search', columns: [title, body], unique: false, search: true }],
  foreignKeys: [],
}
const [SEARCH] = NOTES.indexes
const WITHOUT: Table = { ...NOTES, indexes: [] }
const ALWAYS: Condition = { op: 'always' }
const key = (at: number) => `018f3f2a-0000-7000-8000-${String(at).padStart(12, '0')}`

const TEXTS = [
  'A bicycle with two wheels',
  'Zwei RÄDER und ein Kind',
  'straße, STRASSE',
  '100% sure_thing "quoted" \\ backslash',
  'ΟΔΟΣ ὁδός',
  'İstanbul ıssız',
  '\u{1f6b2}\u{1f6b2}\u{1f6b2} wheels \u{1f6b2}',
  "it's {c0} : OR NOT near*",
  'e\u0301te\u0301 et hiver',
  'ab',
  '',
]
const WORDS =
  'wheel WHEELS räder raße STRASSE e_t "quo ὁδό ab a it\'s e\u0301t nowhere near* i\u0307s \u{1f6b2}'.split(
    ' ',
  )
const WANTED = [...WORDS, ' ', '% sure', '\\ b', '{c0} :', 'or not', '\u{1f6b2}\u{1f6b2}\u{1f6b2}']

for (const under of STORES) {
  describe(`the ${under.name} store`, () => {
    let store: Store
    let stop: () => Promise<void>

    beforeAll(async () => {
      ;({ store, stop } = await startStore(under))
    })
    afterAll(() => stop())
    beforeEach(async () => {
      await store.define(async (definition) => {
        const { tables } = await store.catalog()
        if (tables.some(({ name }) => name === NOTES.name)) {
          await definition.apply({ kind: 'dropTable', table: NOTES })
        }
        await definition.apply({ kind: 'createTable', table: NOTES })
      })
    })

    const rows = TEXTS.map((text, at) => ({
      id: key(at),
      title: text,
      rank: TEXTS[(at + 3) % TEXTS.length]!,
    }))
    const add = (...added: Row[]) => store.transaction((tx) => tx.insertRows({ table: NOTES, rows: added }))
    const is = (at: number): Condition => ({ op: 'eq', column: id, value: key(at) })
    const found = async (text: string, columns = [title, body], table = NOTES) => {
      const order = [{ column: id, descending: false }]
      const where: Condition = { op: 'contains', table, columns, text }
      const read = await store.select({ table, columns: [id], where, order })
      return read.map((row) => row['id'])
    }
    const expectSameAsCompared = async () => {
      for (const text of WANTED) {
        expect([text, await found(text)]).toEqual([text, await found(text, [title, body], WITHOUT)])
      }
    }

    test('finds the rows that contain a text, whatever its case and its characters', async () => {
      await add(...rows)
      for (const text of WANTED) {
        const contains = (one: string) => one.toLowerCase().includes(text.toLowerCase())
        const expected = rows.filter((row) => contains(row.title) || contains(row.rank)).map((row) => row.id)
        expect([text, await found(text)]).toEqual([text, expected])
        const inTitle = rows.filter((row) => contains(row.title)).map((row) => row.id)
        expect([text, await found(text, [title])]).toEqual([text, inTitle])
      }
      expect(await found('wheel', [])).toEqual([])
    })

    test('finds all other rows under a negation, those without a text too', async () => {
      await add(
        ...rows,
        { id: key(99), title: 'a wheel', rank: null },
        { id: key(98), title: 'none', rank: null },
      )
      const search: Condition = { op: 'contains', table: NOTES, columns: [title, body], text: 'wheel' }
      const total = await store.count({ table: NOTES, where: ALWAYS })
      const other = await store.count({ table: NOTES, where: { op: 'not', of: search } })
      expect(other).toBe(total - (await found('wheel')).length)
      expect(await found('wheel')).toContain(key(99))
    })

    test('follows every write, and none that was undone', async () => {
      await add(...rows)
      await store.transaction(async (tx) => {
        await tx.update({ table: NOTES, set: { title: 'a dragonfly' }, where: is(0) })
        await tx.update({ table: NOTES, set: { parent: key(1) }, where: is(1) })
        await tx.remove({ table: NOTES, where: is(2) })
        await tx
          .savepoint(async () => {
            await tx.insert({ table: NOTES, values: { id: key(50), title: 'a dragonfly' } })
            throw new Error('undone')
          })
          .catch(() => undefined)
      })
      expect(await found('DRAGON')).toEqual([key(0)])
      expect(await found('bicycle')).toEqual([key(8)])
      await expectSameAsCompared()
    })

    describe('of long texts', () => {
      const filler = (at: number) => `${'Überlänge und mehr '.repeat(2000)}${at}`
      const long = (at: number, text: string): Row => ({
        id: key(at),
        title: 'long',
        rank: filler(at) + text,
      })
      const LAST = 'the END of it'

      test('finds what stands at their end, whatever was done to them', async () => {
        await add(...rows, long(20, LAST), long(21, 'another'), { ...long(22, LAST), title: filler(22) })
        expect(await found('end of')).toEqual([key(20), key(22)])
        expect(await found('ÜBERLÄNGE', [title])).toEqual([key(22)])
        await store.transaction(async (tx) => {
          await tx.update({ table: NOTES, set: { rank: 'short' }, where: is(20) })
          await tx.update({ table: NOTES, set: { rank: filler(21) + LAST }, where: is(21) })
          await tx.update({ table: NOTES, set: { rank: filler(3) + LAST }, where: is(3) })
          await tx.remove({ table: NOTES, where: is(22) })
        })
        expect(await found('end of')).toEqual([key(3), key(21)])
        expect(await found('short')).toEqual([key(20)])
        await store.transaction((tx) => tx.update({ table: NOTES, set: { rank: 'a wheel' }, where: is(3) }))
        await expectSameAsCompared()
      })

      test('finds them under a negation, and in an index that is made of what is there', async () => {
        await store.define((definition) =>
          definition.apply({ kind: 'dropIndex', table: NOTES, index: SEARCH! }),
        )
        const many = Array.from({ length: 40 }, (_, at) =>
          at % 3 === 0
            ? long(60 + at, LAST)
            : {
                id: key(60 + at),
                title: `wheel ${at}`,
                rank: null,
              },
        )
        await add(...rows, ...many)
        await store.define((definition) =>
          definition.apply({ kind: 'createIndex', table: WITHOUT, index: SEARCH! }),
        )
        expect(await found('end of')).toHaveLength(14)
        expect(await found('wheel ')).toHaveLength(26)
        const search: Condition = { op: 'contains', table: NOTES, columns: [title, body], text: LAST }
        expect(await store.count({ table: NOTES, where: { op: 'not', of: search } })).toBe(rows.length + 26)
        await expectSameAsCompared()
      })
    })

    test('lives through changes of the table, and is an index in the catalog', async () => {
      await add(...rows)
      const listed = async () => {
        const { tables } = await store.catalog()
        const { indexes = [] } = tables.find(({ name }) => name === NOTES.name) ?? {}
        return { tables: tables.map(({ name }) => name), indexes: indexes.map(({ name }) => name) }
      }
      const hasIndex = (await listed()).indexes.length === 1
      expect(await listed()).toEqual({ tables: [NOTES.name], indexes: hasIndex ? [SEARCH!.name] : [] })
      const parents = [
        {
          name: 'desk_note_parent_fkey',
          column: parent,
          references: { table: NOTES.name, column: 'id' },
          onDelete: 'cascade' as const,
        },
      ]
      await store.define(async (definition) => {
        await definition.apply({ kind: 'setForeignKeys', table: NOTES, foreignKeys: parents })
        await definition.apply({
          kind: 'addColumn',
          table: NOTES,
          column: { ...title, name: 'x', nullable: true },
        })
      })
      await expectSameAsCompared()
      await store.transaction(async (tx) => {
        await tx.update({ table: NOTES, set: { parent: key(0) }, where: is(6) })
        await tx.remove({ table: NOTES, where: is(0) })
      })
      expect(await found('wheels \u{1f6b2}')).toEqual([key(3)])
      await store.define((definition) =>
        definition.apply({ kind: 'dropIndex', table: NOTES, index: SEARCH! }),
      )
      expect((await listed()).indexes).toEqual([])
      await store.define((definition) =>
        definition.apply({ kind: 'createIndex', table: WITHOUT, index: SEARCH! }),
      )
      await expectSameAsCompared()
      await store.define((definition) => definition.apply({ kind: 'dropTable', table: NOTES }))
      expect((await listed()).tables).toEqual([])
    })
  })
}
