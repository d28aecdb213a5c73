import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startStore, STORES } from '../../../../test/kit/stores.ts'
import type { Column, ColumnKind, Condition, Row, SelectPlan, Store, Table, Value } from '../contract.ts'
import { Pace } from './pace.ts'

const column = (name: string, kind: ColumnKind): Column => ({ name, kind, nullable: true })
const id: Column = { name: 'id', kind: 'integer', nullable: false }
const group = column('group', 'integer')
const word = column('word', 'text')
const size = column('size', 'float')
const REST = [
  column('price', 'decimal'),
  size,
  column('isOpen', 'boolean'),
  column('day', 'date'),
  column('hour', 'time'),
  column('at', 'datetime'),
  column('key', 'uuid'),
  column('more', 'json'),
]
const COLUMNS = [id, group, word, ...REST]
const named = (name: string): Table => ({
  name,
  columns: COLUMNS,
  primaryKey: [id],
  indexes: [{ name: `${name}_group`, columns: [group, id], unique: false }],
  foreignKeys: [],
})
const [MANY, FEW, LONG] = [named('many'), named('few'), named('long')]
const SIZE = 4000
const row = (at: number): Row => ({
  id: at,
  group: at % 7,
  word: `word ${at}`,
  price: at / 100,
  size: at / 3,
  isOpen: at % 2 === 0,
  day: '2026-03-01',
  hour: '12:30:00',
  at: '2026-03-01T12:30:00.000Z',
  key: `019c8f3e-6c1b-7d0a-9f2e-${String(at).padStart(12, '0')}`,
  more: { at, 'an "odd" key': [null, true, 'ä\u2028'] },
})

let store: Store
let stop: () => Promise<void>
beforeAll(async () => {
  ;({ store, stop } = await startStore(STORES.find(({ name }) => name === 'sqlite')!))
  await store.ensure([MANY, FEW, LONG])
  const rows = Array.from({ length: SIZE }, (_, at) => row(at))
  await store.transaction((tx) => tx.insertRows({ table: MANY, rows }))
  await store.transaction((tx) => tx.insertRows({ table: FEW, rows: rows.slice(0, 20) }))
  const long = rows.slice(0, 20).map((one) => ({ ...one, word: 'x'.repeat(200_000) }))
  await store.transaction((tx) => tx.insertRows({ table: LONG, rows: long }))
})
afterAll(() => stop())

const is = (of: Column, value: Exclude<Value, null>): Condition => ({ op: 'eq', column: of, value })
const plan = (table: Table, where: Condition, order: readonly Column[] = []): SelectPlan => ({
  table,
  columns: COLUMNS,
  where,
  order: order.map((one) => ({ column: one, descending: true })),
  limit: 5,
})

/** Whether something is read elsewhere: what is read on the spot is there before anybody else has a turn. */
async function isAside(read: () => Promise<unknown>): Promise<boolean> {
  // Reads in a row let others have their turns: this one is the first of its turn.
  await nextTurn()
  let hadTurns = false
  const reading = read()
  process.nextTick(() => (hadTurns = true))
  await reading
  return hadTurns
}

describe('a reading of SQLite', () => {
  test.each([
    ['goes through a large table', plan(MANY, is(word, 'word 17'))],
    ['goes through a large table backwards', plan(MANY, is(word, 'word 17'), [id])],
    ['sorts what it finds in a large table', plan(MANY, is(group, 3), [word])],
    ['goes through few rows that are long', plan(LONG, is(size, 1))],
  ])('that %s keeps nobody waiting, and answers what it answers anywhere', async (_, asked) => {
    let rows: readonly Row[] = []
    expect(
      await isAside(async () => {
        rows = await store.select(asked)
      }),
    ).toBe(true)
    expect(rows.length).toBeGreaterThan(0)
    // In a transaction it is asked on the spot.
    expect(rows).toEqual(await store.transaction((tx) => tx.select(asked)))
  })

  const { limit: _, ...sorted } = plan(MANY, { op: 'in', column: group, values: [2, 3] }, [word])

  test('that is read part by part, and sorts a large table, keeps nobody waiting', async () => {
    const expected = await store.transaction((tx) => tx.select(sorted))
    const parts = () => store.stream(sorted, 300)[Symbol.asyncIterator]()
    const rows: Row[] = []
    for await (const part of store.stream(sorted, 300)) {
      expect(part.length).toBeLessThanOrEqual(300)
      rows.push(...part)
    }
    expect(rows).toEqual(expected)
    const some = [parts(), parts(), parts()]
    expect(await isAside(() => Promise.all(some.map((one) => one.next())))).toBe(true)
    const seconds = await Promise.all(some.map((one) => one.next()))
    for (const { value } of seconds) expect(value).toEqual(expected.slice(300, 600))
    // Whoever leaves them leaves no reader of the log behind: it can be emptied.
    for (const one of some) await one.return?.()
    await store.scrub([MANY.name])
    // What is read next is as it is now.
    await store.transaction((tx) => tx.remove({ table: MANY, where: is(id, Number(expected[0]!['id'])) }))
    for await (const part of store.stream(sorted, 300)) {
      expect(part).toEqual(expected.slice(1, 301))
      break
    }
  })

  test('that is under way as the store closes is told so', async () => {
    const { store: other, stop: stopOther } = await startStore(STORES.find(({ name }) => name === 'sqlite')!)
    await other.ensure([MANY])
    const rows = Array.from({ length: SIZE }, (_, at) => row(at))
    await other.transaction((tx) => tx.insertRows({ table: MANY, rows }))
    const parts = other.stream(sorted, 300)[Symbol.asyncIterator]()
    await parts.next()
    await stopOther()
    await expect(parts.next()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('that counts rows of a large table by what no index knows keeps nobody waiting', async () => {
    const counted = { table: MANY, where: is(word, 'word 17') }
    expect(await isAside(() => store.count(counted))).toBe(true)
    expect(await store.count(counted)).toBe(1)
    await store.transaction((tx) => tx.insert({ table: MANY, values: { ...row(SIZE), word: 'word 17' } }))
    expect(await store.count(counted)).toBe(2)
  })

  test.each([
    ['finds a row by its key', plan(MANY, is(id, 17))],
    ['follows an index', plan(MANY, is(group, 3), [id])],
    ['goes through a small table', plan(FEW, is(word, 'word 17'), [size])],
  ])('that %s is answered at once', async (_, asked) => {
    expect(await isAside(() => store.select(asked))).toBe(false)
  })

  test('sees what was committed just before, wherever it is read', async () => {
    for (let at = 1; at <= 20; at++) {
      await store.transaction((tx) =>
        tx.insert({ table: MANY, values: { ...row(SIZE + at), word: `new ${at}` } }),
      )
      expect(await store.select(plan(MANY, is(word, `new ${at}`)))).toEqual([
        { ...row(SIZE + at), word: `new ${at}` },
      ])
    }
  })
})

describe('a pace', () => {
  test('is long once it took long, and short again after a hundred quick times', () => {
    const pace = new Pace(false)
    pace.tookHere(5)
    expect(pace.isLong).toBe(false)
    pace.tookHere(50)
    expect(pace.isLong).toBe(true)
    for (let time = 0; time < 150; time++) pace.tookAside(1)
    pace.tookAside(50)
    for (let time = 0; time < 199; time++) pace.tookAside(1)
    expect(pace.isLong).toBe(true)
    pace.tookAside(1)
    expect(pace.isLong).toBe(false)
  })

  test('has to be quick for longer each time that it was not, within bounds', () => {
    const pace = new Pace(true)
    const times = Array.from({ length: 7 }, () => {
      let quick = 0
      for (; pace.isLong; quick++) pace.tookAside(0)
      pace.tookHere(11)
      return quick
    })
    expect(times).toEqual([100, 200, 400, 800, 1600, 1600, 1600])
  })
})
