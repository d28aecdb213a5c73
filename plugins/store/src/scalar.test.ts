import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startStore, STORES } from '../../../test/kit/stores.ts'
import {
  CARRIED,
  type Column,
  type ColumnKind,
  type Condition,
  holds,
  MAX_TEXT,
  type Scalar,
  type ScalarFunction,
  type Store,
  type Table,
  type Value,
} from './contract.ts'

const column = (name: string, kind: ColumnKind, nullable = true): Column => ({ name, kind, nullable })
const table = (name: string, columns: readonly Column[]): Table => ({
  name,
  columns,
  primaryKey: columns.slice(0, 1),
  indexes: [],
  foreignKeys: [],
})

const id = column('id', 'integer', false)
const size = column('size', 'integer')
const title = column('title', 'text')
const done = column('done', 'boolean')
const price = column('price', 'decimal')
const day = column('day', 'date')
const at = column('at', 'datetime')
const clock = column('clock', 'time')
const key = column('key', 'uuid')
const tags = column('tags', 'json')
const POST = table('post', [id, size, title, done, price, day, at, clock, key, tags])

const tagId = column('id', 'integer', false)
const label = column('title', 'text')
const TAG = table('tag', [tagId, label])
const postId = column('post', 'integer', false)
const tagOf = column('tag', 'integer', false)
const since = column('title', 'text')
const LINK: Table = { ...table('post_tag', [postId, tagOf, since]), primaryKey: [postId, tagOf] }

const ANN = '018f3f2a-0000-7000-8000-000000000001'
const ALWAYS: Condition = { op: 'always' }
const of = (one: Column): Scalar => ({ op: 'column', column: one })
function value(one: string | number | boolean): Scalar {
  const type = typeof one === 'string' ? 'text' : typeof one === 'number' ? 'number' : 'boolean'
  return { op: 'value', type, value: one }
}
const call = (name: ScalarFunction, ...args: (string | number | Scalar)[]): Scalar => ({
  op: 'call',
  name,
  of: args.map((arg) => (typeof arg === 'object' ? arg : value(arg))),
})
type By = Extract<Scalar, { op: 'compare' }>['by']
const compare = (left: Scalar, by: By, right: Scalar): Scalar => ({ op: 'compare', by, left, right })
const not = (scalar: Scalar): Scalar => ({ op: 'not', of: scalar })
const MAX = Number.MAX_VALUE

/** What each call gives; null where it is not defined. */
const CALLS: readonly (readonly [Scalar, string | number | boolean | null])[] = [
  [call('add', 0.1, 0.2), 0.3],
  [call('add', 1e14, 0.1), 100_000_000_000_000.1],
  [call('add', 123_456_789_012_345, 0.25), 123_456_789_012_345.25],
  [call('add', 1e-16, 0.1), 0.1 + 1e-16],
  [call('subtract', 19.99, 0.1), 19.89],
  [call('multiply', 1.1, 3), 3.3],
  [call('multiply', 1.5, 19.99), 29.985],
  [call('multiply', 0.333_333_333_333_333_3, 3), 1],
  [call('multiply', 94_906_267.1, 9_490_626.5), 94_906_267.1 * 9_490_626.5],
  [call('divide', 0.3, 0.1), 3],
  [call('divide', 1, 0.3), 10 / 3],
  [call('divide', 0.3, 0), null],
  [call('add', MAX, 1), MAX],
  [call('add', MAX, MAX), null],
  [call('subtract', MAX, MAX), 0],
  [call('subtract', -MAX, MAX), null],
  [call('multiply', MAX, 1), MAX],
  [call('multiply', MAX, 1.0000000000000002), null],
  [call('multiply', 1e200, 1e200), null],
  [call('multiply', 1e-200, -1e-200), 0],
  [call('multiply', 5e-324, 1), 5e-324],
  [call('multiply', 0, MAX), 0],
  [call('divide', 7, 2), 3.5],
  [call('divide', 1, 0), null],
  [call('divide', 0, 0), null],
  [call('divide', MAX, 0.5), null],
  [call('divide', MAX, 5e-324), null],
  [call('divide', 5e-324, MAX), 0],
  [call('remainder', -7, 3), -1],
  [call('remainder', 7, 0), null],
  [call('remainder', 7.5, 2), null],
  [call('negate', 3), -3],
  [call('abs', -3), 3],
  [call('floor', -1.5), -2],
  [call('ceil', -1.5), -1],
  [call('truncate', -1.5), -1],
  [call('round', 1.005, 2), 1.01],
  [call('round', -2.5, 0), -3],
  [call('round', 1234, -2), 1200],
  [call('round', 9_007_199_254_740_991, 1), 9_007_199_254_740_991],
  [call('round', MAX, -308), MAX],
  [call('round', 5, 1e300), 5],
  [call('round', 5, -1e300), 0],
  [call('round', 5, 0.5), null],
  [call('min', 2, 1), 1],
  [call('max', 2, 1), 2],
  [call('min', 2, of(price)), null],
  [call('whole', 2), 2],
  [call('whole', 2.5), null],
  [call('lower', 'ŻÓŁW ΑΣ'), 'żółw ας'],
  [call('upper', 'straße'), 'STRASSE'],
  [call('trim', '\u00a0\ufeff\u2003 a b\t\n\v'), 'a b'],
  [call('length', '😀é'), 2],
  [call('concat', 'a', '😀'), 'a😀'],
  [call('concat', 'x'.repeat(MAX_TEXT), 'y'), null],
  [call('substring', '😀bcd', 1, 2), 'bc'],
  [call('substring', 'abc', 1, 1e300), 'bc'],
  [call('substring', 'abc', 5, 1), ''],
  [call('substring', 'abc', -1, 2), null],
  [call('substring', 'abc', 0.5, 2), null],
  [call('character', '😀b', 1), 'b'],
  [call('character', '😀b', 2), null],
  [call('replace', 'a.b.c', '.', '->'), 'a->b->c'],
  [call('replace', 'abc', '', 'x'), 'abc'],
  [call('replace', 'a'.repeat(100_000), 'a', 'x'.repeat(100_000)), null],
  [call('contains', 'a%c', '%'), true],
  [call('contains', 'abc', ''), true],
  [call('startsWith', 'abc', 'ab'), true],
  [call('endsWith', 'abc', 'bc'), true],
  [call('endsWith', 'c', 'bc'), false],
  [call('instant', '1969-12-31'), -86_400_000],
  [call('instant', of(at)), Date.parse('2026-01-31T23:59:59.120Z')],
  [call('date', -1), '1969-12-31'],
  [call('datetime', 253_402_300_799_999), '9999-12-31T23:59:59.999Z'],
  [call('datetime', 253_402_300_800_000), null],
  [call('date', -62_135_596_800_001), null],
  [call('date', 1e300), null],
  [call('year', call('instant', '0001-01-01')), 1],
  [call('month', call('instant', of(day))), 2],
  [call('day', call('instant', of(day))), 29],
  [call('hour', call('instant', of(at))), 23],
  [call('year', 1e300), null],
  [call('date', call('addMonths', call('instant', '2024-01-31'), 1)), '2024-02-29'],
  [call('date', call('addMonths', call('instant', '2024-02-29'), -12)), '2023-02-28'],
  [call('addMonths', call('instant', '9999-12-01'), 1), null],
  [call('addMonths', 0, 1e300), null],
  [call('addMonths', 0, 0.5), null],
  [of(day), '2024-02-29'],
  [of(at), '2026-01-31T23:59:59.120Z'],
  [of(clock), '07:08:09.5'],
  [of(key), ANN],
  [of(done), false],
  [call('divide', of(size), 2), 3.5],
]

for (const under of STORES) {
  describe(`scalars on the ${under.name} store`, () => {
    let store: Store
    let stop: () => Promise<void>

    beforeAll(async () => {
      ;({ store, stop } = await startStore(under))
      await store.ensure([POST, TAG, LINK])
      await store.transaction(async (tx) => {
        await tx.insert({
          table: POST,
          values: {
            id: 1,
            size: 7,
            title: 'a',
            done: false,
            day: '2024-02-29',
            at: '2026-01-31T23:59:59.120Z',
            clock: '07:08:09.5',
            key: ANN,
            tags: [1],
          },
        })
        await tx.insert({ table: POST, values: { id: 2, title: 'B', done: true, price: 2.5 } })
        await tx.insert({ table: POST, values: { id: 3 } })
        for (const i of [10, 11]) await tx.insert({ table: TAG, values: { id: i, title: `t${i}` } })
        for (const [post, tag] of [
          [1, 10],
          [1, 11],
          [2, 11],
        ] as const) {
          await tx.insert({ table: LINK, values: { post, tag, title: `${post}-${tag}` } })
        }
      })
    })
    afterAll(() => stop())

    const ids = async (where: Condition): Promise<readonly (Value | undefined)[]> => {
      const order = [{ column: id, descending: false }]
      return (await store.select({ table: POST, columns: [id], where, order })).map((row) => row['id'])
    }

    test.each(
      CALLS.map(([scalar, result]) => [JSON.stringify(scalar).slice(0, 120), scalar, result] as const),
    )('gives %s', async (_, scalar, result) => {
      const first: Scalar = compare(of(id), 'eq', value(1))
      const given: Scalar =
        result === null ? { op: 'null', of: scalar } : compare(scalar, 'same', value(result))
      expect(await ids({ op: 'holds', scalar: { op: 'and', of: [first, given] } })).toEqual([1])
    })

    test('know three truth values, and pick rows for which one is exactly true', async () => {
      const isLarge = compare(of(size), 'gt', value(5))
      for (const one of [(scalar: Scalar): Condition => ({ op: 'holds', scalar }), holds]) {
        expect(await ids(one(isLarge))).toEqual([1])
        expect(await ids(one(not(isLarge)))).toEqual([])
        expect(await ids({ op: 'not', of: one(isLarge) })).toEqual([2, 3])
        expect(await ids(one({ op: 'or', of: [isLarge, of(done)] }))).toEqual([1, 2])
        expect(await ids(one(not({ op: 'and', of: [isLarge, of(done)] })))).toEqual([1])
        expect(await ids(one({ op: 'coalesce', of: [isLarge, value(true)] }))).toEqual([1, 2, 3])
        expect(await ids(one({ op: 'coalesce', of: [isLarge, value(false)] }))).toEqual([1])
        expect(await ids(one(not({ op: 'coalesce', of: [isLarge, value(false)] })))).toEqual([2, 3])
        expect(await ids(one({ op: 'null', of: of(tags) }))).toEqual([2, 3])
        expect(await ids(one(compare(of(title), 'same', of(key))))).toEqual([3])
        expect(await ids(one(compare(of(title), 'ne', value('a'))))).toEqual([2])
        expect(await ids(one(not(compare(of(title), 'same', value('a')))))).toEqual([2, 3])
        expect(await ids(one({ op: 'in', of: of(title), type: 'text', values: ['a', 'x'] }))).toEqual([1])
        expect(await ids(one(not({ op: 'in', of: of(title), type: 'text', values: ['a'] })))).toEqual([2])
        expect(await ids(one({ op: 'in', of: of(price), type: 'number', values: [2.5] }))).toEqual([2])
        expect(await ids(one(not({ op: 'like', of: of(title), pattern: 'A' })))).toEqual([2])
        expect(await ids(one(compare(of(title), 'lt', value('a'))))).toEqual([2])
        const chosen: Scalar = { op: 'if', test: of(done), consequent: value('yes'), alternate: value('no') }
        expect(await ids(one(compare(chosen, 'eq', value('no'))))).toEqual([1, 3])
      }
    })

    test('compare a column with a value that it cannot hold', async () => {
      expect(await ids(holds(compare(of(size), 'gt', value(6.5))))).toEqual([1])
      expect(await ids(holds(not(compare(of(key), 'same', value('no key')))))).toEqual([1, 2, 3])
      expect(await ids(holds(compare(of(key), 'same', value(ANN.toUpperCase()))))).toEqual([])
      expect(await ids(holds(compare(of(day), 'gt', value('2024-02-30'))))).toEqual([])
      expect(await ids(holds(compare(of(day), 'lt', value('3'))))).toEqual([1])
      expect(await ids(holds(compare(of(clock), 'same', value('07:08:09.500'))))).toEqual([])
    })

    test('tell the bytes of what columns hold', async () => {
      const bytes: Scalar = { op: 'bytes', columns: [title, tags] }
      const worked = [{ column: column('bytes', 'integer'), scalar: bytes }]
      const order = [{ column: id, descending: false }]
      const read = async () =>
        (await store.select({ table: POST, columns: [id], worked, where: ALWAYS, order })).map((row) =>
          Number(row['bytes']),
        )
      expect(await read()).toEqual(['a[1]'.length, 1, 0])
      const where: Condition = { op: 'eq', column: id, value: 2 }
      const name = async (to: string) =>
        store.transaction((tx) => tx.update({ table: POST, set: { title: to }, where }))
      await name('ä'.repeat(5000))
      expect(await read()).toEqual([4, 10_000, 0])
      expect(await ids(holds(compare(bytes, 'gt', value(9999))))).toEqual([2])
      await name('B')
    })

    test('say which rows to write to', async () => {
      const where = holds(compare(call('add', of(size), 1), 'eq', value(8)))
      const written = await store.transaction((tx) =>
        tx.update({ table: POST, set: { title: 'a' }, where, returning: [id] }),
      )
      expect(written).toEqual({ count: 1, rows: [{ id: 1 }] })
      const every: Condition = { op: 'holds', scalar: compare(value(1), 'eq', value(1)) }
      await expect(store.transaction((tx) => tx.remove({ table: POST, where: every }))).rejects.toThrow(
        'which rows',
      )
    })

    test('are no part of an index', () => {
      const where: Condition = { op: 'holds', scalar: of(done) }
      const index = { name: 'post_done', columns: [id], unique: false, where }
      expect(() => store.explain({ kind: 'createIndex', table: POST, index })).toThrow('partial index')
    })
  })

  describe(`plans over two tables on the ${under.name} store`, () => {
    let store: Store
    let stop: () => Promise<void>

    beforeAll(async () => {
      ;({ store, stop } = await startStore(under))
      await store.ensure([POST, TAG, LINK])
      await store.transaction(async (tx) => {
        for (const i of [1, 2, 3])
          await tx.insert({ table: POST, values: { id: i, size: i - 1, title: `p${i}` } })
        for (const i of [10, 11]) await tx.insert({ table: TAG, values: { id: i, title: `t${i}` } })
        const links = [
          { post: 1, tag: 10, title: 'old' },
          { post: 1, tag: 11, title: 'new' },
          { post: 2, tag: 11, title: 'new' },
        ]
        for (const values of links) await tx.insert({ table: LINK, values })
      })
    })
    afterAll(() => stop())

    const ids = async (where: Condition) =>
      (
        await store.select({ table: POST, columns: [id], where, order: [{ column: id, descending: false }] })
      ).map((row) => row['id'])
    const linked = (where: Condition): Condition => ({ op: 'exists', table: LINK, on: [[postId, id]], where })

    test('find rows that another table leads to', async () => {
      expect(await ids(linked(ALWAYS))).toEqual([1, 2])
      expect(await ids({ op: 'not', of: linked(ALWAYS) })).toEqual([3])
      expect(await ids(linked({ op: 'eq', column: tagOf, value: 10 }))).toEqual([1])
      expect(await ids(linked({ op: 'eq', column: since, value: 'new' }))).toEqual([1, 2])
      const computed = holds(compare(call('upper', of(since)), 'eq', value('OLD')))
      expect(
        await ids({ op: 'and', of: [linked(computed), { op: 'eq', column: title, value: 'p1' }] }),
      ).toEqual([1])
      expect(await store.count({ table: POST, where: linked(ALWAYS) })).toBe(2)
    })

    test('find them through as many tables as it takes, the same one too', async () => {
      const tagged: Condition = {
        op: 'exists',
        table: TAG,
        on: [[tagId, tagOf]],
        where: { op: 'like', column: label, pattern: 'T10' },
      }
      expect(await ids(linked(tagged))).toEqual([1])
      const smaller: Condition = { op: 'exists', table: POST, on: [[id, size]], where: ALWAYS }
      expect(await ids(smaller)).toEqual([2, 3])
      const twice: Condition = { op: 'exists', table: POST, on: [[id, size]], where: smaller }
      expect(await ids(twice)).toEqual([3])
    })

    test('bring rows of a whole page of parents at once, each with its parent', async () => {
      const rows = await store.select({
        table: TAG,
        columns: [tagId, label],
        where: { op: 'like', column: label, pattern: 't%' },
        order: [{ column: label, descending: true }],
        through: {
          table: LINK,
          carry: postId,
          on: [tagOf, tagId],
          where: { op: 'in', column: postId, values: [1, 2, 3] },
        },
      })
      expect(rows.map((row) => [row[CARRIED], row['id'], row['title']]).sort()).toEqual([
        [1, 10, 't10'],
        [1, 11, 't11'],
        [2, 11, 't11'],
      ])
      expect(rows.at(-1)?.['id']).toBe(10)
    })

    test('go on where a column of the other table gets another type', async () => {
      const before = table('side', [id, column('ref', 'integer')])
      const ref = column('ref', 'text')
      const after: Table = { ...before, columns: [id, ref] }
      const find = (side: Table, wanted: Column, found: string | number) =>
        ids({ op: 'exists', table: side, on: [[id, id]], where: { op: 'eq', column: wanted, value: found } })
      await store.ensure([before])
      await store.transaction((tx) => tx.insert({ table: before, values: { id: 1, ref: 5 } }))
      expect(await find(before, before.columns[1]!, 5)).toEqual([1])
      await store.define(async (tx) => {
        await tx.apply({ kind: 'dropColumn', table: before, column: before.columns[1]! })
        await tx.apply({ kind: 'addColumn', table: after, column: ref })
        await tx.update({ table: after, set: { ref: 'five' }, where: { op: 'eq', column: id, value: 1 } })
      })
      expect(await find(after, ref, 'five')).toEqual([1])
    })
  })
}
