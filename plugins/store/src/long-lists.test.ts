import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askPostgres } from '../../../test/kit/ask-postgres.ts'
import { startStore, STORES } from '../../../test/kit/stores.ts'
import { Compiler } from './compile/compiler.ts'
import { select } from './compile/select.ts'
import { column, type ColumnKind, type Condition, type Store, type Table } from './contract.ts'
import { postgresDialect } from './postgres/dialect.ts'

const ID = column('id', 'integer')
const COLUMNS = {
  integer: column('integer', 'integer', true),
  text: column('text', 'text', true),
  uuid: column('uuid', 'uuid', true),
  decimal: column('decimal', 'decimal', true),
  float: column('float', 'float', true),
  date: column('date', 'date', true),
  time: column('time', 'time', true),
  datetime: column('datetime', 'datetime', true),
} satisfies Partial<Record<ColumnKind, unknown>>
const THING: Table = {
  name: 'thing of long lists',
  columns: [ID, ...Object.values(COLUMNS)],
  primaryKey: [ID],
  indexes: [{ name: 'thing_uuid_idx', columns: [COLUMNS.uuid], unique: false }],
  foreignKeys: [],
}
/** More than a list may have to be a short one, and one row that none of them names. */
const ROWS = 130
const NULL_ROW = ROWS + 1
const FEW = [1, 2, 3]

const day = (at: number) => new Date(Date.UTC(2026, 0, 1) + at * 86_400_000).toISOString()
const rowOf = (at: number) => ({
  id: at,
  integer: at,
  text: `text ${at}`,
  uuid: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
  decimal: at + 0.5,
  float: at / 8,
  date: day(at).slice(0, 10),
  time: `00:${String(at % 60).padStart(2, '0')}:0${Math.floor(at / 60)}.000`,
  datetime: day(at),
})
const valueOf = (row: ReturnType<typeof rowOf>, name: string): string | number =>
  Object.entries(row).find(([one]) => one === name)?.[1] ?? ''
const all = Array.from({ length: ROWS }, (_, at) => rowOf(at + 1))

for (const under of STORES) {
  describe(`a list of more than a hundred values on ${under.name}`, () => {
    let store: Store
    let stop: () => Promise<void>
    beforeAll(async () => {
      ;({ store, stop } = await startStore(under))
      await store.ensure([THING])
      const rows = [...all, { id: NULL_ROW }, rowOf(NULL_ROW + 1)]
      await store.transaction((tx) => tx.insertRows({ table: THING, rows }))
    })
    afterAll(() => stop())
    const found = async (where: Condition) => {
      const order = [{ column: ID, descending: false }]
      return (await store.select({ table: THING, columns: [ID], where, order })).map(({ id }) => Number(id))
    }

    test.each(Object.values(COLUMNS))('finds what a short one finds, of $name', async (of) => {
      const listed = all.map((row) => valueOf(row, of.name))
      const long: Condition = { op: 'in', column: of, values: listed }
      const ids = all.map(({ id }) => Number(id))
      expect(await found(long)).toEqual(ids)
      expect(await found({ op: 'not', of: long })).toEqual([NULL_ROW, NULL_ROW + 1])
      expect(await found({ op: 'not', of: { op: 'not', of: long } })).toEqual(ids)
      const some: Condition = { op: 'in', column: ID, values: FEW }
      expect(await found({ op: 'and', of: [some, long] })).toEqual(FEW)
      expect(await found({ op: 'or', of: [{ op: 'eq', column: ID, value: NULL_ROW }, long] })).toEqual([
        ...ids,
        NULL_ROW,
      ])
      expect(await found({ op: 'exists', table: THING, on: [[ID, ID]], where: long })).toEqual(ids)
    })

    test('names the rows that are held, changed and removed', async () => {
      const where: Condition = {
        op: 'in',
        column: COLUMNS.uuid,
        values: all.map((row) => row.uuid),
      }
      const undone = new Error('undone')
      const work = store.transaction(async (tx) => {
        const held = await tx.select({ table: THING, columns: [ID], where, order: [], lock: true })
        expect(held.length).toBe(ROWS)
        const changed = await tx.update({ table: THING, set: { text: 'changed' }, where })
        expect(changed.count).toBe(ROWS)
        expect(await tx.remove({ table: THING, where })).toBe(ROWS)
        throw undone
      })
      await expect(work).rejects.toBe(undone)
    })
  })
}

const POSTGRES = STORES.filter(({ name }) => name === 'postgres')
describe.each(POSTGRES)('a long list on $name', (under) => {
  test('is compared with no row value by value, on a table that has grown since it was looked at', async () => {
    const { store, stop, database } = await startStore(under)
    try {
      await store.ensure([THING])
      const compiler = new Compiler(postgresDialect({ lowerCollation: 'C', trigramSchema: undefined }))
      const values = Array.from({ length: 10_000 }, (_, at) => at)
      const where: Condition = {
        op: 'and',
        of: [
          { op: 'gte', column: COLUMNS.uuid, value: rowOf(0).uuid },
          { op: 'in', column: COLUMNS.integer, values },
        ],
      }
      const call = compiler.call(select, { table: THING, columns: [ID], where, order: [] })
      expect(call.statement.name).toBe('')
      await askPostgres(database, async (client) => {
        await client.query(`insert into "${THING.name}" (id) values (0)`)
        await client.query(`alter table "${THING.name}" set (autovacuum_enabled = off)`)
        await client.query(`vacuum analyze "${THING.name}"`)
        await client.query(
          `insert into "${THING.name}" (id, integer, uuid) select n, n, gen_random_uuid() from generate_series(1, 10000) n`,
        )
        const parameters = call.values.map((value) => (Array.isArray(value) ? `{${value.join()}}` : value))
        const { rows } = await client.query(`explain ${call.statement.sql}`, parameters)
        const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n')
        expect(plan).toMatch(/integer"? = ANY \('\{/)
        expect(plan).not.toContain('Nested Loop')
      })
    } finally {
      await stop()
    }
  })
})
