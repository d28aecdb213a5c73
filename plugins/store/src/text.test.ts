import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startStore, STORES } from '../../../test/kit/stores.ts'
import {
  type Column,
  type ColumnKind,
  type Json,
  type Row,
  type Store,
  type Table,
  TEXT,
} from './contract.ts'

const column = (name: string, kind: ColumnKind): Column => ({ name, kind, nullable: true })
const COLUMNS = {
  text: column('text', 'text'),
  integer: column('integer', 'integer'),
  decimal: column('decimal', 'decimal'),
  float: column('float', 'float'),
  boolean: column('boolean', 'boolean'),
  date: column('date', 'date'),
  time: column('time', 'time'),
  datetime: column('datetime', 'datetime'),
  uuid: column('uuid', 'uuid'),
  json: column('json', 'json'),
} as const
const id: Column = { name: 'id', kind: 'integer', nullable: false }
const ALL = [id, ...Object.values(COLUMNS)]
const TABLE: Table = { name: 'kinds', columns: ALL, primaryKey: [id], indexes: [], foreignKeys: [] }

/** More than a function of SQLite takes. */
const MANY = Array.from({ length: 150 }, (_, at) => column(`c${at}`, at % 2 === 0 ? 'text' : 'float'))
const WIDE: Table = {
  name: 'wide',
  columns: [id, ...MANY],
  primaryKey: [id],
  indexes: [],
  foreignKeys: [],
}

const text = fc.string({ unit: 'binary' }).filter((some) => !some.includes('\0') && some.isWellFormed())
const double = fc.double({ noDefaultInfinity: true, noNaN: true })
const time = fc
  .date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((at) => at.toISOString())
const VALUES = {
  text: fc.oneof(text, fc.constantFrom('"', '\\', '\u2028', '\u007f', '\b\f\n\r\t', '{"a":1}', '5', 'null')),
  integer: fc.maxSafeInteger(),
  decimal: fc.oneof(
    fc.integer({ min: -1e9, max: 1e9 }).map((some) => some / 1000),
    double,
    fc.constantFrom(0.1, 5, 1 / 3, 1e-7, 1e21, 123_456_789.123456),
  ),
  float: fc.oneof(double, fc.constantFrom(0.1 + 0.2, 1e21, 1e-7, 5e-324, Number.MAX_VALUE, 5, -3)),
  boolean: fc.boolean(),
  date: time.map((at) => at.slice(0, 10)),
  time: time.map((at) => at.slice(11, 19)),
  datetime: time,
  uuid: fc.uuid(),
  json: fc.jsonValue({ maxDepth: 3 }).filter((some) => !JSON.stringify(some).includes('\\u0000')),
} satisfies Record<ColumnKind, fc.Arbitrary<unknown>>
const record = fc.record(
  Object.fromEntries(
    Object.entries(VALUES).map(([kind, some]) => [kind, fc.option(some as fc.Arbitrary<Json>)]),
  ),
)

for (const kind of STORES) {
  describe(`rows as text on ${kind.name}`, () => {
    let store: Store
    let stop: () => Promise<void>
    beforeAll(async () => {
      ;({ store, stop } = await startStore(kind))
      await store.ensure([TABLE, WIDE])
    })
    afterAll(() => stop())

    const texts = async (table: Table, columns: readonly Column[], beside: readonly Column[] = []) => {
      const rows = await store.select({
        table,
        columns: beside,
        text: columns,
        where: { op: 'always' },
        order: [{ column: id, descending: false }],
      })
      return rows.map((row) => String(row[TEXT]))
    }

    test('say what the same rows say as values, in the order that was asked for', async () => {
      const rows = fc.sample(record, 300).map((values, at) => ({ id: at, ...values }) as Row)
      await store.transaction((tx) => tx.insertRows({ table: TABLE, rows }))
      const order = [{ column: id, descending: false }]
      const values = await store.select({ table: TABLE, columns: ALL, where: { op: 'always' }, order })
      const asked = [COLUMNS.json, id, ...Object.values(COLUMNS).filter((one) => one !== COLUMNS.json)]
      const expected = values.map((row) =>
        JSON.stringify(Object.fromEntries(asked.map(({ name }) => [name, row[name]]))),
      )
      expect(await texts(TABLE, asked)).toEqual(expected)
    })

    test('stand beside columns that are read as values', async () => {
      const rows = await store.select({
        table: TABLE,
        columns: [id],
        text: [COLUMNS.integer],
        where: { op: 'lt', column: id, value: 3 },
        order: [{ column: id, descending: true }],
      })
      expect(rows.map((row) => row['id'])).toEqual([2, 1, 0])
      for (const row of rows) expect(Object.keys(JSON.parse(String(row[TEXT])))).toEqual(['integer'])
    })

    test('hold any number of columns', async () => {
      const values = Object.fromEntries(
        MANY.map(({ name, kind: is }, at) => [name, is === 'text' ? `'${at}"` : at / 3]),
      )
      await store.transaction((tx) => tx.insert({ table: WIDE, values: { id: 1, ...values } }))
      expect((await texts(WIDE, MANY)).map((one) => JSON.parse(one))).toEqual([values])
    })
  })
}
