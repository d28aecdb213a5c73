import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startStore, STORES } from '../../../test/kit/stores.ts'
import {
  type Column,
  type ColumnKind,
  type Condition,
  Increment,
  type Order,
  type Row,
  type Store,
  StoreConflict,
  type Table,
  type Value,
} from './contract.ts'

const column = (name: string, kind: ColumnKind, more: Partial<Column> = {}): Column => ({
  name,
  kind,
  nullable: true,
  ...more,
})
const byName = (table: Table, name: string): Column => {
  const found = table.columns.find((one) => one.name === name)
  if (!found) throw new Error(name)
  return found
}

const authorId = column('id', 'uuid', { nullable: false })
const authorEmail = column('email', 'text')
const AUTHORS: Table = {
  name: 'shop_author',
  columns: [authorId, authorEmail],
  primaryKey: [authorId],
  indexes: [{ name: 'shop_author_email', columns: [authorEmail], unique: true }],
  foreignKeys: [],
}

const id = column('id', 'integer', { nullable: false })
const title = column('title', 'text', { nullable: false })
const note = column('note', 'text')
const size = column('size', 'integer')
const price = column('price', 'decimal')
const ratio = column('ratio', 'float')
const active = column('active', 'boolean', { nullable: false, default: true })
const day = column('day', 'date')
const at = column('at', 'datetime')
const clock = column('clock', 'time')
const tags = column('tags', 'json')
const author = column('author', 'uuid')
const deleted = column('deleted', 'datetime')
const THINGS: Table = {
  name: 'shop_thing',
  columns: [id, title, note, size, price, ratio, active, day, at, clock, tags, author, deleted],
  primaryKey: [id],
  indexes: [
    { name: 'shop_thing_title', columns: [title], unique: true, where: { op: 'null', column: deleted } },
    { name: 'shop_thing_size', columns: [size, id], unique: false },
  ],
  foreignKeys: [
    {
      name: 'shop_thing_author_fk',
      column: author,
      references: { table: AUTHORS.name, column: 'id' },
      onDelete: 'restrict',
    },
  ],
}
const ALWAYS: Condition = { op: 'always' }
const is = (of: Column, value: Exclude<Value, null>): Condition => ({ op: 'eq', column: of, value })
const ANN = '018f3f2a-0000-7000-8000-000000000001'

for (const under of STORES) {
  describe(`the ${under.name} store`, () => {
    let store: Store
    let stop: () => Promise<void>

    beforeAll(async () => {
      ;({ store, stop } = await startStore(under))
      await store.ensure([THINGS, AUTHORS])
    })
    afterAll(() => stop())

    const clear = () =>
      store.transaction(async (tx) => {
        await tx.remove({ table: THINGS, where: { op: 'gte', column: id, value: -1000 } })
        await tx.remove({ table: AUTHORS, where: { op: 'not', of: { op: 'null', column: authorId } } })
      })
    const add = (...rows: Row[]) =>
      store.transaction(async (tx) => {
        for (const values of rows) await tx.insert({ table: THINGS, values })
      })
    const ids = async (where: Condition, order: readonly Order[] = [{ column: id, descending: false }]) =>
      (await store.select({ table: THINGS, columns: [id], where, order })).map((row) => row['id'])
    const conflict = async (work: Promise<unknown>): Promise<StoreConflict> => {
      const error: unknown = await work.then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      if (error instanceof StoreConflict) return error
      throw new Error('no conflict', { cause: error })
    }

    test('gives every kind of value back as it was', async () => {
      await clear()
      await store.transaction((tx) => tx.insert({ table: AUTHORS, values: { id: ANN, email: 'a@b.c' } }))
      const row = {
        id: 9_007_199_254_740_991,
        title: 'O\'Neil "x" \\ 😀',
        note: null,
        size: -9_007_199_254_740_991,
        price: 12.34,
        ratio: 0.1,
        active: false,
        day: '2024-02-29',
        at: '2026-01-31T23:59:59.120Z',
        clock: '07:08:09.5',
        tags: ['a', { b: null, c: [1.5, true] }],
        author: ANN,
        deleted: null,
      }
      await add(row)
      expect(
        await store.select({ table: THINGS, columns: THINGS.columns, where: ALWAYS, order: [] }),
      ).toEqual([row])
    })

    test('keeps midnight and whole seconds in full', async () => {
      await clear()
      await add({ id: 1, title: 'a', at: '2026-01-01T00:00:00.000Z', clock: '00:00:00' })
      const [row] = await store.select({ table: THINGS, columns: [at, clock], where: ALWAYS, order: [] })
      expect(row).toEqual({ at: '2026-01-01T00:00:00.000Z', clock: '00:00:00' })
    })

    test('finds floats and decimals again by the number that was written', async () => {
      await clear()
      const numbers = [0.1, 1 / 3, 1e-7, 123456789.123456, 5e-324, 1.7976931348623157e308, 2 / 3]
      await add(...numbers.map((ratio, index) => ({ id: index, title: `t${index}`, ratio })))
      for (const [index, number] of numbers.entries()) {
        expect(await ids({ op: 'in', column: ratio, values: [number] })).toEqual([index])
        expect(await ids(is(ratio, number))).toEqual([index])
      }
    })

    test('fills in the default of a column that is left out', async () => {
      await clear()
      await add({ id: 1, title: 'a' })
      expect(await store.select({ table: THINGS, columns: [active], where: ALWAYS, order: [] })).toEqual([
        { active: true },
      ])
    })

    test('compares as plans say, and keeps nulls out of every comparison but ne', async () => {
      await clear()
      await add({ id: 1, title: 'a', size: 1 }, { id: 2, title: 'b', size: 2 }, { id: 3, title: 'c' })
      expect(await ids({ op: 'eq', column: size, value: 1 })).toEqual([1])
      expect(await ids({ op: 'ne', column: size, value: 1 })).toEqual([2, 3])
      expect(await ids({ op: 'lt', column: size, value: 2 })).toEqual([1])
      expect(await ids({ op: 'lte', column: size, value: 2 })).toEqual([1, 2])
      expect(await ids({ op: 'gt', column: size, value: 1 })).toEqual([2])
      expect(await ids({ op: 'gte', column: size, value: 1 })).toEqual([1, 2])
      expect(await ids({ op: 'in', column: size, values: [2, 7] })).toEqual([2])
      expect(await ids({ op: 'null', column: size })).toEqual([3])
    })

    test('negates to exactly the other rows', async () => {
      await clear()
      await add(
        { id: 1, title: 'a', size: 1, note: 'x' },
        { id: 2, title: 'b', size: 2 },
        { id: 3, title: 'c' },
      )
      const conditions: Condition[] = [
        { op: 'eq', column: size, value: 1 },
        { op: 'ne', column: size, value: 1 },
        { op: 'lt', column: size, value: 2 },
        { op: 'in', column: size, values: [2] },
        { op: 'in', column: size, values: [] },
        { op: 'like', column: note, pattern: 'X' },
        { op: 'null', column: size },
        { op: 'and', of: [is(size, 1), is(note, 'x')] },
        { op: 'or', of: [is(size, 2), { op: 'not', of: is(note, 'x') }] },
        { op: 'and', of: [] },
        { op: 'or', of: [] },
        { op: 'always' },
        { op: 'never' },
      ]
      for (const condition of conditions) {
        const matched = await ids(condition)
        const others = await ids({ op: 'not', of: condition })
        expect([...matched, ...others].sort()).toEqual([1, 2, 3])
        expect(await store.count({ table: THINGS, where: condition })).toBe(matched.length)
      }
    })

    test('takes an empty list, no conditions and no alternatives for what they are', async () => {
      await clear()
      await add({ id: 1, title: 'a' })
      expect(await ids({ op: 'in', column: id, values: [] })).toEqual([])
      expect(await ids({ op: 'and', of: [] })).toEqual([1])
      expect(await ids({ op: 'or', of: [] })).toEqual([])
    })

    test('finds rows by lists of every kind', async () => {
      await clear()
      await store.transaction((tx) => tx.insert({ table: AUTHORS, values: { id: ANN } }))
      await add({
        id: 1,
        title: 'it\'s {a,"b"}',
        active: false,
        price: 1.5,
        author: ANN,
        day: '2026-01-01',
        at: '2026-01-01T10:00:00.500Z',
        clock: '10:00:00',
      })
      const lists: [Column, Exclude<Value, null>[]][] = [
        [title, ['nope', 'it\'s {a,"b"}']],
        [active, [false]],
        [price, [2, 1.5]],
        [author, [ANN]],
        [day, ['2026-01-01']],
        [at, ['2026-01-01T10:00:00.500Z']],
        [clock, ['10:00:00']],
      ]
      for (const [of, values] of lists) expect(await ids({ op: 'in', column: of, values })).toEqual([1])
    })

    test('takes a list of any length', async () => {
      const values = Array.from({ length: 70_000 }, (_, index) => index)
      expect(await store.count({ table: THINGS, where: { op: 'in', column: id, values } })).toBeLessThan(
        70_000,
      )
    })

    test('ignores case in like as Unicode does, and knows no escape character', async () => {
      await clear()
      await add(
        { id: 1, title: 'ŻÓŁW' },
        { id: 2, title: 'straße_1' },
        { id: 3, title: '50%\\' },
        { id: 4, title: 'ПРИВЕТ' },
      )
      const like = (pattern: string) => ids({ op: 'like', column: title, pattern })
      expect(await like('żółw')).toEqual([1])
      expect(await like('Ż%')).toEqual([1])
      expect(await like('STRAßE__')).toEqual([2])
      expect(await like('%\\')).toEqual([3])
      expect(await like('%\\%')).toEqual([3])
      expect(await like('при%')).toEqual([4])
    })

    test('orders text by code point, and nulls first ascending, last descending', async () => {
      await clear()
      await add(
        { id: 1, title: '1', note: 'a' },
        { id: 2, title: '2', note: 'B' },
        { id: 3, title: '3' },
        { id: 4, title: '4', note: 'é' },
        { id: 5, title: '5', note: '😀' },
        { id: 6, title: '6', note: '\uffee' },
      )
      expect(await ids(ALWAYS, [{ column: note, descending: false }])).toEqual([3, 2, 1, 4, 6, 5])
      expect(await ids(ALWAYS, [{ column: note, descending: true }])).toEqual([5, 6, 4, 1, 2, 3])
    })

    test('answers pages', async () => {
      await clear()
      await add(...Array.from({ length: 10 }, (_, index) => ({ id: index, title: `t${index}` })))
      const page = async (range: { limit?: number; offset?: number }) =>
        (
          await store.select({
            table: THINGS,
            columns: [id],
            where: ALWAYS,
            order: [{ column: id, descending: true }],
            ...range,
          })
        ).map((row) => row['id'])
      expect(await page({ limit: 3 })).toEqual([9, 8, 7])
      expect(await page({ limit: 3, offset: 3 })).toEqual([6, 5, 4])
      expect(await page({ offset: 8 })).toEqual([1, 0])
      expect(await page({ limit: 0 })).toEqual([])
      await expect(page({ limit: -1 })).rejects.toThrow('limit must be a whole number')
      await expect(page({ limit: 1.5 })).rejects.toThrow('limit must be')
      await expect(page({ offset: Number.NaN })).rejects.toThrow('offset must be')
    })

    test('pages deep into a table as into its start', async () => {
      await clear()
      await add(
        ...Array.from({ length: 1200 }, (_, index) => ({ id: index, title: `t${index}`, size: index % 7 })),
      )
      const all = await ids(is(size, 3), [
        { column: size, descending: true },
        { column: id, descending: true },
      ])
      const wide = await store.select({
        table: THINGS,
        columns: [id, active, title],
        where: { op: 'in', column: size, values: [3, 4, 5, 6, 0, 1, 2] },
        order: [
          { column: size, descending: false },
          { column: id, descending: true },
        ],
        limit: 4,
        offset: 1150,
      })
      expect(all).toHaveLength(171)
      const expected = Array.from({ length: 1200 }, (_, index) => index)
        .sort((a, b) => (a % 7) - (b % 7) || b - a)
        .slice(1150, 1154)
      expect(wide).toEqual(expected.map((one) => ({ id: one, active: true, title: `t${one}` })))
    })

    test('refuses to update or remove without saying which rows', async () => {
      const wheres: Condition[] = [
        ALWAYS,
        { op: 'never' },
        { op: 'and', of: [] },
        { op: 'not', of: { op: 'in', column: id, values: [] } },
        { op: 'or', of: [is(id, 1), ALWAYS] },
      ]
      for (const where of wheres) {
        await expect(store.transaction((tx) => tx.remove({ table: THINGS, where }))).rejects.toThrow(
          'which rows',
        )
        await expect(
          store.transaction((tx) => tx.update({ table: THINGS, set: { size: 1 }, where })),
        ).rejects.toThrow('which rows')
      }
    })

    test('counts what it wrote, and answers changed rows as they are afterwards', async () => {
      await clear()
      await add({ id: 1, title: 'a', size: 1 }, { id: 2, title: 'b', size: 1, tags: [1] })
      await store.transaction(async (tx) => {
        expect(
          await tx.update({
            table: THINGS,
            set: { size: new Increment(5), active: false },
            where: is(id, 2),
            returning: [size, active, tags],
          }),
        ).toEqual({ count: 1, rows: [{ size: 6, active: false, tags: [1] }] })
        expect(await tx.update({ table: THINGS, set: { size: 0 }, where: is(size, 99) })).toEqual({
          count: 0,
          rows: [],
        })
        expect(await tx.remove({ table: THINGS, where: { op: 'in', column: id, values: [1, 2, 3] } })).toBe(2)
      })
    })

    test('loses no step of an increment between many writers', async () => {
      await clear()
      await add({ id: 1, title: 'a', size: 0, price: 0.5 })
      await Promise.all(
        Array.from({ length: 40 }, () =>
          store.transaction((tx) =>
            tx.update({ table: THINGS, set: { size: new Increment(1) }, where: is(id, 1) }),
          ),
        ),
      )
      expect(await ids(is(size, 40))).toEqual([1])
    })

    test('names the columns of a violated rule', async () => {
      await clear()
      await add({ id: 1, title: 'a' })
      const primary = await conflict(add({ id: 1, title: 'b' }))
      expect([primary.kind, primary.table, primary.columns]).toEqual(['unique', 'shop_thing', ['id']])
      const partial = await conflict(add({ id: 2, title: 'a' }))
      expect([partial.kind, partial.columns]).toEqual(['unique', ['title']])
      const missing = await conflict(add({ id: 2, title: 'b', author: ANN }))
      expect([missing.kind, missing.columns]).toEqual(['foreignKey', ['author']])
      const empty = await conflict(add({ id: 2, title: null }))
      expect([empty.kind, empty.columns]).toEqual(['notNull', ['title']])
      await add({ id: 3, title: 'a', deleted: '2026-01-01T00:00:00.000Z' })
      expect(await ids(ALWAYS)).toEqual([1, 3])
      const moved = await conflict(
        store.transaction((tx) => tx.update({ table: THINGS, set: { deleted: null }, where: is(id, 3) })),
      )
      expect([moved.kind, moved.columns]).toEqual(['unique', ['title']])
    })

    test('keeps a row that others refer to', async () => {
      await clear()
      await store.transaction((tx) => tx.insert({ table: AUTHORS, values: { id: ANN } }))
      await add({ id: 1, title: 'a', author: ANN })
      const held = await conflict(
        store.transaction((tx) => tx.remove({ table: AUTHORS, where: is(authorId, ANN) })),
      )
      expect([held.kind, held.table, held.columns]).toEqual(['foreignKey', 'shop_author', []])
    })

    test('leaves out a row whose key is taken when told to, and goes on', async () => {
      await clear()
      await add({ id: 1, title: 'a' })
      const written = await store.transaction(async (tx) => [
        await tx.insert({ table: THINGS, values: { id: 1, title: 'x' }, onConflict: 'ignore' }),
        await tx.insert({ table: THINGS, values: { id: 5, title: 'a' }, onConflict: 'ignore' }),
        await tx.insert({ table: THINGS, values: { id: 2, title: 'b' }, onConflict: 'ignore' }),
      ])
      expect(written).toEqual([0, 0, 1])
      expect(await ids(ALWAYS)).toEqual([1, 2])
    })

    test('undoes all of a transaction that fails', async () => {
      await clear()
      const failing = store.transaction(async (tx) => {
        await tx.insert({ table: THINGS, values: { id: 1, title: 'a' } })
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      expect(await ids(ALWAYS)).toEqual([])
    })

    test('undoes a savepoint alone', async () => {
      await clear()
      await store.transaction(async (tx) => {
        await tx.insert({ table: THINGS, values: { id: 1, title: 'a' } })
        const inner = tx.savepoint(async () => {
          await tx.insert({ table: THINGS, values: { id: 2, title: 'b' } })
          await tx.savepoint(() => tx.insert({ table: THINGS, values: { id: 3, title: 'c' } }))
          await tx.insert({ table: THINGS, values: { id: 1, title: 'd' } })
        })
        expect((await conflict(inner)).columns).toEqual(['id'])
        expect(await tx.savepoint(() => tx.insert({ table: THINGS, values: { id: 4, title: 'e' } }))).toBe(1)
        expect(await tx.count({ table: THINGS, where: ALWAYS })).toBe(2)
      })
      expect(await ids(ALWAYS)).toEqual([1, 4])
    })

    test('shows a transaction its own writes, and others nothing before the commit', async () => {
      await clear()
      await store.transaction(async (tx) => {
        await tx.insert({ table: THINGS, values: { id: 1, title: 'a' } })
        expect(
          await tx.select({ table: THINGS, columns: [id], where: is(id, 1), order: [], lock: true }),
        ).toEqual([{ id: 1 }])
        expect(await store.count({ table: THINGS, where: ALWAYS })).toBe(0)
      })
      expect(await store.count({ table: THINGS, where: ALWAYS })).toBe(1)
    })

    test('refuses a transaction that has ended', async () => {
      const leaked = await store.transaction(async (tx) => tx)
      await expect(leaked.insert({ table: THINGS, values: { id: 1, title: 'a' } })).rejects.toThrow(
        'has ended',
      )
      await expect(leaked.count({ table: THINGS, where: ALWAYS })).rejects.toThrow('has ended')
      await expect(leaked.savepoint(async () => 1)).rejects.toThrow('has ended')
    })

    test('answers each of many transactions at once by its own fate', async () => {
      await clear()
      const outcomes = await Promise.allSettled(
        Array.from({ length: 50 }, (_, index) =>
          store.transaction(async (tx) => {
            await tx.insert({ table: THINGS, values: { id: index, title: `t${index}` } })
            if (index === 20) throw new Error('alone')
            return index
          }),
        ),
      )
      expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1)
      expect(outcomes[20]).toMatchObject({ status: 'rejected', reason: { message: 'alone' } })
      expect(await store.count({ table: THINGS, where: ALWAYS })).toBe(49)
    })

    test('refuses values of another kind and columns that are not there', async () => {
      await clear()
      const refused = [{ size: '1' }, { size: 1.5 }, { title: 5 }, { active: 1 }, { ratio: 'x' }, { nope: 1 }]
      for (const values of refused) {
        await expect(add({ id: 1, title: 'a', ...values })).rejects.toThrow(/column/)
      }
      await expect(ids({ op: 'eq', column: size, value: 'x' })).rejects.toThrow("column 'size'")
      await add({ id: 1, title: 'still works' })
    })

    test('survives values that the database refuses', async () => {
      const [asked] = await Promise.allSettled([ids({ op: 'eq', column: author, value: 'zz' })])
      const answer: unknown = asked.status === 'rejected' ? asked.reason : asked.value
      // One database has no such key, the other refuses the question.
      expect(Array.isArray(answer) || answer instanceof Error).toBe(true)
      expect(answer).not.toMatchObject({ status: 503 })
      expect(await store.count({ table: THINGS, where: { op: 'never' } })).toBe(0)
    })
  })

  describe(`the schema of the ${under.name} store`, () => {
    let store: Store
    let stop: () => Promise<void>

    beforeAll(async () => {
      ;({ store, stop } = await startStore(under))
    })
    afterAll(() => stop())

    const columnsOf = async (table: string) =>
      (await store.catalog()).tables
        .find(({ name }) => name === table)
        ?.columns.map(({ name }) => name)
        .sort()
    const indexesOf = async (table: string) =>
      (await store.catalog()).tables
        .find(({ name }) => name === table)
        ?.indexes.map(({ name }) => name)
        .sort()

    test('grows from nothing to what tables say, and then stays', async () => {
      await store.ensure([THINGS, AUTHORS])
      await store.ensure([THINGS, AUTHORS])
      const extra = column('extra', 'json', { default: { a: "it's" } })
      const wider: Table = {
        ...THINGS,
        columns: [...THINGS.columns, extra],
        indexes: [...THINGS.indexes, { name: 'shop_thing_at', columns: [at, id], unique: false }],
      }
      await store.transaction((tx) => tx.insert({ table: THINGS, values: { id: 1, title: 'a' } }))
      await store.ensure([wider])
      expect(await columnsOf('shop_thing')).toEqual(wider.columns.map(({ name }) => name).sort())
      expect(await indexesOf('shop_thing')).toEqual(['shop_thing_at', 'shop_thing_size', 'shop_thing_title'])
      expect(await store.select({ table: wider, columns: [extra], where: ALWAYS, order: [] })).toEqual([
        { extra: { a: "it's" } },
      ])
      const catalog = (await store.catalog()).tables.find(({ name }) => name === 'shop_thing')
      expect(catalog?.columns.find(({ name }) => name === 'title')?.nullable).toBe(false)
      expect(catalog?.indexes.find(({ name }) => name === 'shop_thing_size')).toEqual({
        name: 'shop_thing_size',
        columns: ['size', 'id'],
        unique: false,
      })
    })

    test('is made once when two servers start at once', async () => {
      const database = await under.open()
      const servers = await Promise.all([startStore(under, database), startStore(under, database)])
      await Promise.all(servers.map((server) => server.store.ensure([THINGS, AUTHORS])))
      expect(await servers[0].store.count({ table: THINGS, where: ALWAYS })).toBe(0)
      for (const server of servers) await server.stop()
      await database.drop()
    })

    test('takes every step, and says the statements beforehand', async () => {
      const key = column('id', 'uuid', { nullable: false })
      const name = column('name', 'text')
      const parent = column('parent', 'uuid')
      const other = column('other', 'uuid')
      const index = { name: 'node_name', columns: [name], unique: true }
      const node: Table = {
        name: 'node',
        columns: [key, name, parent, other],
        primaryKey: [key],
        indexes: [index, { name: 'node_other', columns: [other, name], unique: false }],
        foreignKeys: [
          {
            name: 'node_parent_fk',
            column: parent,
            references: { table: 'node', column: 'id' },
            onDelete: 'cascade',
          },
          {
            name: 'node_other_fk',
            column: other,
            references: { table: 'leaf', column: 'id' },
            onDelete: 'set null',
          },
        ],
      }
      const leaf: Table = { ...node, name: 'leaf', columns: [key], indexes: [], foreignKeys: [] }
      const flag = column('flag', 'boolean', { nullable: false, default: false })

      const create = { kind: 'createTable', table: node } as const
      expect(
        await store.define((tx) =>
          tx.apply(create).then(async (ran) => {
            // The table that it refers to comes later, in the same change.
            await tx.apply({ kind: 'createTable', table: leaf })
            await tx.insert({ table: leaf, values: { id: ANN } })
            await tx.insert({ table: node, values: { id: ANN, name: 'a', other: ANN } })
            return ran
          }),
        ),
      ).toEqual(store.explain(create))

      await store.define(async (tx) => {
        await tx.apply({ kind: 'addColumn', table: node, column: flag })
        await tx.apply({ kind: 'renameColumn', table: node, column: name, to: 'label' })
        await tx.apply({ kind: 'dropIndex', table: node, index })
      })
      expect(await columnsOf('node')).toEqual(['flag', 'id', 'label', 'other', 'parent'])
      expect(await indexesOf('node')).toEqual(['node_other'])

      const label = column('label', 'text')
      const now: Table = { ...node, columns: [key, label, parent, other, flag] }
      await store.define(async (tx) => {
        await tx.apply({ kind: 'createIndex', table: now, index: { ...index, columns: [label] } })
        await tx.apply({ kind: 'dropColumn', table: now, column: other })
        await tx.apply({ kind: 'renameTable', table: now, to: 'knot' })
        await tx.apply({ kind: 'dropTable', table: leaf })
      })
      const knot: Table = { ...now, name: 'knot', columns: [key, label, parent, flag], indexes: [index] }
      expect(await columnsOf('knot')).toEqual(['flag', 'id', 'label', 'parent'])
      expect(await indexesOf('knot')).toEqual(['node_name'])
      expect(await store.select({ table: knot, columns: [label, flag], where: ALWAYS, order: [] })).toEqual([
        { label: 'a', flag: false },
      ])

      const child = '018f3f2a-0000-7000-8000-000000000002'
      await store.transaction(async (tx) => {
        await tx.insert({ table: knot, values: { id: child, parent: ANN, label: 'b' } })
        await tx.remove({ table: knot, where: is(key, ANN) })
      })
      expect(await store.count({ table: knot, where: ALWAYS })).toBe(0)
    })

    test('is left as it was where a change fails', async () => {
      const table: Table = { ...AUTHORS, name: 'short_lived', indexes: [] }
      const failing = store.define(async (tx) => {
        await tx.apply({ kind: 'createTable', table })
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      expect(await columnsOf('short_lived')).toBeUndefined()
    })

    test('refuses rows that refer to nothing', async () => {
      await store.ensure([AUTHORS, THINGS])
      const orphan = store.define((tx) =>
        tx.insert({ table: THINGS, values: { id: 77, title: 'orphan', author: ANN } }),
      )
      await expect(orphan).rejects.toMatchObject({
        name: 'StoreConflict',
        kind: 'foreignKey',
        columns: ['author'],
      })
    })

    test('follows a column that gets another type', async () => {
      const key = column('id', 'integer', { nullable: false })
      const before: Table = {
        name: 'shifty',
        columns: [key, column('x', 'integer')],
        primaryKey: [key],
        indexes: [],
        foreignKeys: [],
      }
      const after: Table = { ...before, columns: [key, column('x', 'text')] }
      const read = (table: Table) =>
        store.select({ table, columns: [byName(table, 'x')], where: is(key, 1), order: [] })
      await store.ensure([before])
      await store.transaction((tx) => tx.insert({ table: before, values: { id: 1, x: 5 } }))
      expect(await Promise.all([read(before), read(before), read(before)])).toHaveLength(3)
      await store.define(async (tx) => {
        await tx.apply({ kind: 'dropColumn', table: before, column: byName(before, 'x') })
        await tx.apply({ kind: 'addColumn', table: after, column: byName(after, 'x') })
        await tx.update({ table: after, set: { x: 'five' }, where: is(key, 1) })
      })
      expect(await Promise.all([read(after), read(after), read(after)])).toEqual(
        Array.from({ length: 3 }, () => [{ x: 'five' }]),
      )
    })
  })
}
