import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startStore, STORES } from '../../../test/kit/stores.ts'
import { type Codec, column, type Column, Increment, type Row, type Store, type Table } from './contract.ts'

/** Opens for the row alone that a value was sealed for. */
const bound: Codec = {
  bound: true,
  seal: (value, of) => Buffer.from(JSON.stringify([of, value])).toString('base64'),
  open(kept, of) {
    const [owner, value] = JSON.parse(Buffer.from(kept, 'base64').toString())
    if (owner !== of) throw new Error(`sealed for '${owner}', not for '${String(of)}'`)
    return value
  },
}

const ID = column('id', 'uuid')
const COUNT = column('count', 'integer')
const NAME = column('text', 'text', true)
const values = [
  NAME,
  column('integer', 'integer', true),
  column('decimal', 'decimal', true),
  column('float', 'float', true),
  column('boolean', 'boolean', true),
  column('date', 'date', true),
  column('time', 'time', true),
  column('datetime', 'datetime', true),
  column('uuid', 'uuid', true),
  column('json', 'json', true),
  { ...column('sealed', 'date', true), codec: bound },
] satisfies readonly Column[]
const THING: Table = {
  name: 'thing of many kinds',
  columns: [ID, COUNT, ...values],
  primaryKey: [ID],
  indexes: [{ name: 'thing_text_idx', columns: [NAME], unique: true }],
  foreignKeys: [],
}
const OF = column('of', 'integer')
const AT = column('at', 'integer')
const SAID = column('said', 'text', true)
const LINE: Table = {
  name: 'line',
  columns: [OF, AT, SAID],
  primaryKey: [OF, AT],
  indexes: [],
  foreignKeys: [],
}

const idOf = (at: number): string => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
const ODD = ['{a,"b"}', String.raw`\N \" '`, 'NULL', '', 'two\nlines', '☃ 🙂']

for (const under of STORES) {
  describe(`many rows that change at once on ${under.name}`, () => {
    let store: Store
    let stop: () => Promise<void>
    beforeAll(async () => {
      ;({ store, stop } = await startStore(under))
      await store.ensure([THING, LINE])
    })
    afterAll(() => stop())
    beforeEach(() =>
      store.transaction(async (tx) => {
        for (const table of [THING, LINE])
          await tx.remove({ table, where: { op: 'not', of: { op: 'null', column: table.primaryKey[0]! } } })
        await tx.insertRows({
          table: THING,
          rows: Array.from({ length: 1200 }, (_, at) => ({ id: idOf(at), count: at })),
        })
        await tx.insertRows({
          table: LINE,
          rows: [1, 2].flatMap((of) => [1, 2].map((at) => ({ of, at, said: 'before' }))),
        })
      }),
    )
    const all = (table: Table) =>
      store.select({
        table,
        columns: table.columns,
        where: { op: 'always' },
        order: table.primaryKey.map((one) => ({ column: one, descending: false })),
      })

    test('take values of every kind, null among them, and a number more', async () => {
      const rows = Array.from({ length: 1200 }, (_, at): Row =>
        at % 7 === 3
          ? { id: idOf(at), ...Object.fromEntries(values.map(({ name }) => [name, null])) }
          : {
              id: idOf(at),
              text: `${ODD[at % ODD.length]} ${at}`,
              integer: at - 600,
              decimal: at / 4,
              float: at / 3,
              boolean: at % 2 === 0,
              date: '2026-02-28',
              time: '12:30:01.5',
              datetime: `2026-02-28T12:30:00.${String(at % 1000).padStart(3, '0')}Z`,
              uuid: idOf(at + 5),
              json: { [ODD[at % ODD.length]!]: [at, ODD, null] },
              sealed: '2026-01-01',
            },
      )
      const changed = await store.transaction((tx) =>
        tx.updateRows({ table: THING, rows, increments: { count: new Increment(2) } }),
      )
      expect(changed).toBe(1200)
      expect(await all(THING)).toEqual(rows.map((row, at) => ({ ...row, count: at + 2 })))
    })

    test('are named by all of their key, and what is not there is passed over', async () => {
      const rows = [
        { of: 2, at: 1, said: 'after' },
        { of: 1, at: 2, said: null },
        { of: 3, at: 1, said: 'nobody' },
      ]
      expect(await store.transaction((tx) => tx.updateRows({ table: LINE, rows }))).toBe(2)
      expect((await all(LINE)).map(({ said }) => said)).toEqual(['before', null, 'after', 'before'])
    })

    test('are none of none', async () => {
      expect(await store.transaction((tx) => tx.updateRows({ table: LINE, rows: [] }))).toBe(0)
    })

    test('leave everything as it was where one of them is in the way of another', async () => {
      const before = await all(THING)
      const rows = [1, 2, 3].map((at) => ({ id: idOf(at), text: at === 1 ? 'first' : 'same' }))
      await expect(store.transaction((tx) => tx.updateRows({ table: THING, rows }))).rejects.toMatchObject({
        kind: 'unique',
        table: THING.name,
      })
      expect(await all(THING)).toEqual(before)
    })

    test('have to be named', async () => {
      const rows = [{ of: 1, said: 'which?' }]
      await expect(store.transaction((tx) => tx.updateRows({ table: LINE, rows }))).rejects.toThrow(/'at'/)
    })
  })
}
