import { ANONYMOUS, type Caller } from '@svc/kernel'
import type { Column, ColumnKind, Row, Store, Table, Value } from '@svc/store/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startStore, STORES } from '../../../../test/kit/stores.ts'
import { ExpressionError } from '@svc/expression/contract'
import { parseScope } from './filter.ts'

const column = (name: string, kind: ColumnKind, nullable = true): Column => ({ name, kind, nullable })
const id = column('id', 'integer', false)
const COLUMNS: readonly Column[] = [
  id,
  column('title', 'text'),
  column('size', 'integer'),
  column('price', 'decimal'),
  column('done', 'boolean'),
  column('dueOn', 'date'),
  column('createdAt', 'datetime'),
  column('ownerId', 'uuid'),
  column('teamNo', 'integer'),
  column('tags', 'json'),
  column('order', 'text'),
]
const TABLE: Table = { name: 'scoped', columns: COLUMNS, primaryKey: [id], indexes: [], foreignKeys: [] }
const columns = new Map(COLUMNS.map((one) => [one.name, one]))

const ANN = '018f3f2a-0000-7000-8000-000000000001'
const BOB = '018f3f2a-0000-7000-8000-000000000002'
const NOW = Date.parse('2026-02-01T10:30:00.000Z')
const ann: Caller = { ...ANONYMOUS, kind: 'user', id: ANN, claims: { departmentId: 7 } }

const ROWS: readonly Row[] = [
  {
    id: 1,
    title: 'Alpha',
    size: 7,
    price: 1.5,
    done: true,
    dueOn: '2026-02-01',
    createdAt: '2026-02-01T09:00:00.000Z',
    ownerId: ANN,
    teamNo: 7,
    tags: ['x'],
    order: "it's",
  },
  {
    id: 2,
    title: 'beta',
    size: 8,
    price: 2,
    done: false,
    dueOn: '2026-01-31',
    createdAt: '2026-01-31T23:59:59.999Z',
    ownerId: BOB,
    teamNo: 8,
    tags: null,
    order: 'b',
  },
  {
    id: 3,
    title: 'ŻÓŁW',
    size: -1,
    price: null,
    done: null,
    dueOn: null,
    createdAt: null,
    ownerId: null,
    teamNo: null,
    tags: null,
    order: null,
  },
  {
    id: 4,
    title: null,
    size: null,
    price: 10,
    done: true,
    dueOn: '2026-02-02',
    createdAt: '2026-02-01T10:30:00.000Z',
    ownerId: ANN,
    teamNo: 7,
    tags: null,
    order: 'a',
  },
]

describe('a filter that cannot be used', () => {
  it.each<[filter: string, offset: number, message: string]>([
    ['title = 1; drop table x', 9, "';' cannot be read"],
    ["title = 'a' -- or true", 12, "'-' cannot be read"],
    ['size > 1 /* x */', 9, "'/' cannot be read"],
    ["title = 'open", 8, "''' cannot be read"],
    ["title = 'half\uD800'", 8, 'half a character'],
    ['nope = 1', 0, "no stored field 'nope'"],
    ['"titel" = \'a\'', 0, "did you mean 'title'?"],
    ['size in (select 1)', 9, "no stored field 'select'"],
    ['random() > 1', 0, "no function 'random'"],
    ['ownerId = :currentUser', 10, 'no placeholder'],
    ['size = ?', 7, "'?' cannot be read"],
    ['size = 1 size', 9, 'expected the end'],
    ['(size = 1', 9, "expected ')'"],
    ['size =', 6, 'expected a value'],
    ['size = null', 7, 'expected a value'],
    ['size in ()', 0, 'IN needs a value'],
    ['size not 1', 9, 'expected IN, LIKE or BETWEEN'],
    ['size between 1 or 2', 15, "expected 'AND'"],
    ["size = 'a'", 7, 'this is text, and stands beside number'],
    ['title + 1 = 2', 0, 'this is text, and stands beside number'],
    ['done < true', 0, 'no order'],
    ['size', 0, 'where a condition belongs'],
    ["dueOn > 'soon'", 8, "'soon' is no date"],
    ["dueOn > '2026-02-30'", 8, 'is no date'],
    ['price % 2 = 0', 6, 'whole numbers'],
    ["tags = 'x'", 0, 'JSON'],
    ["title like 'a' escape 'b'", 15, 'expected the end'],
    ['title like title', 11, 'LIKE takes a text'],
    ['lower(title, title) = 1', 0, 'takes 1 argument'],
    ["date(title) = '2026-01-01'", 0, "'date' takes a date"],
    ['1e999 = size', 0, 'too large'],
    ['(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((size', 64, 'nested deeper'],
    [`size ${'+ 1 '.repeat(300)} > 1`, 1001, 'in a row'],
    [' '.repeat(10_001), 10_000, '10000 characters'],
  ])('%s', (filter, offset, message) => {
    const parse = () => parseScope(filter.length > 10_000 ? `${filter}1` : filter, { columns })
    expect(parse).toThrow(ExpressionError)
    expect(parse).toThrow(message)
    expect(parse).toThrow(expect.objectContaining({ offset }))
  })
})

it('becomes comparisons of columns that an index can help with', () => {
  const bound = (filter: string) => parseScope(filter, { columns }).bind(ann, NOW)
  expect(bound('')).toEqual({ op: 'always' })
  expect(bound('ownerId = :currentUserId')).toEqual({ op: 'eq', column: columns.get('ownerId'), value: ANN })
  expect(bound('dueOn < now()')).toEqual({ op: 'lte', column: columns.get('dueOn'), value: '2026-02-01' })
  expect(bound('size IN (1, 2) AND NOT done')).toEqual({
    op: 'and',
    of: [
      { op: 'in', column: columns.get('size'), values: [1, 2] },
      { op: 'eq', column: columns.get('done'), value: false },
    ],
  })
})

for (const under of STORES) {
  describe(`filters on the ${under.name} store`, () => {
    let store: Store
    let stop: () => Promise<void>

    beforeAll(async () => {
      ;({ store, stop } = await startStore(under))
      await store.ensure([TABLE])
      await store.transaction(async (tx) => {
        for (const values of ROWS) await tx.insert({ table: TABLE, values })
      })
    })
    afterAll(() => stop())

    it.each<[filter: string, ids: readonly Value[], caller?: Caller]>([
      ['', [1, 2, 3, 4]],
      ['  ', [1, 2, 3, 4]],
      ['1', [1, 2, 3, 4]],
      ['1 = 2', []],
      ['true and not false', [1, 2, 3, 4]],
      ['done', [1, 4]],
      ['NOT done', [2]],
      ['done = 0', [2]],
      ['done <> TRUE', [2]],
      ['done IS NULL', [3]],
      ['NOT (done IS NOT NULL)', [3]],
      ['tags is not null', [1]],
      ["title = 'Alpha' OR title IS NULL", [1, 4]],
      ["NOT (title = 'Alpha')", [2, 3]],
      ["title <> 'Alpha' AND size > -2", [2, 3]],
      ["title LIKE 'ż%' or title like 'AL%a'", [1, 3]],
      ["title NOT LIKE '%a'", [3]],
      ["lower(title) = 'żółw' or upper(title) = 'BETA'", [2, 3]],
      ["title || '!' = 'beta!'", [2]],
      ['length(title) = 4', [2, 3]],
      ['size between 7 and 8', [1, 2]],
      ['size not between 7 and 8', [3]],
      ['size in (7, -1, 1 + 1)', [1, 3]],
      ['size not in (7, 8)', [3]],
      ['size NOT IN (7, :currentUserDepartmentId + 1)', [3]],
      ['size NOT IN (7, :currentUserDepartmentId + 1)', [], { ...ann, claims: {} }],
      ['size / 2 = 3', [1]],
      ['size / 2 = 4', [2]],
      ['-size / 2 = -3', [1]],
      ['price / 4 = 0.5', [2]],
      ['price / 0 = 1', []],
      ['size % 2 = 1', [1]],
      ['size % 2 = -1', [3]],
      ['size * 2 - 1 = 13 and price + 1 > 2', [1]],
      ['abs(size) = 1', [3]],
      ['coalesce(size, 100) > 50', [4]],
      ["coalesce(title, :currentUserId, 'none') = :currentUserId", [4]],
      ['ownerId = :currentUserId', [1, 4]],
      ['ownerId = :currentUserId', [], ANONYMOUS],
      ['NOT (ownerId = :currentUserId)', [2]],
      ['NOT (ownerId = :currentUserId)', [], ANONYMOUS],
      ["ownerId = 'no key'", []],
      [':currentUserId IS NULL', [1, 2, 3, 4], ANONYMOUS],
      ['teamNo = :currentUserDepartmentId', [1, 4]],
      ['teamNo = :currentUserDepartmentId', [], { ...ann, claims: { departmentId: '7' } }],
      ['teamNo = :currentUserDepartmentId', [], { ...ann, claims: { departmentId: [7] } }],
      ['title = :currentUserDepartmentId', [], { ...ann, claims: { departmentId: 'a\0' } }],
      [':currentUserId <> :currentUserDepartmentId', [1, 2, 3, 4], { ...ann, claims: { departmentId: 'x' } }],
      ['NOT (:currentUserId = :currentUserDepartmentId)', [], { ...ann, claims: {} }],
      ["dueOn = date('now')", [1]],
      ["dueOn < date('NOW')", [2]],
      ["dueOn >= '2026-02-01'", [1, 4]],
      ["dueOn > '2026-02-01T10:00:00Z'", [4]],
      ['dueOn < current_timestamp', [1, 2]],
      ['NOT (dueOn = now())', [1, 2, 4]],
      ['createdAt < now()', [1, 2]],
      ['createdAt <= CURRENT_TIMESTAMP()', [1, 2, 4]],
      ["createdAt >= '2026-02-01'", [1, 4]],
      ["createdAt >= '2026-02-01T10:00:00+01:00'", [1, 4]],
      ['date(createdAt) = dueOn', [1, 2]],
      ['createdAt > dueOn', [1, 2]],
      ["createdAt in ('2026-02-01T10:30:00Z', '2020-01-01')", [4]],
      [`"order" = 'it''s'`, [1]],
      ['(size = 7) = done', [1, 2]],
      ['not not done', [1, 4]],
      [`size in (${Array.from({ length: 2000 }, (_, i) => i).join()})`, [1, 2]],
      [Array.from({ length: 700 }, (_, i) => `size=${i}`).join(' or '), [1, 2]],
    ])('%s', async (filter, ids, caller = ann) => {
      const where = parseScope(filter, { columns }).bind(caller, NOW)
      const rows = await store.select({
        table: TABLE,
        columns: [id],
        where,
        order: [{ column: id, descending: false }],
      })
      expect(rows.map((row) => row['id'])).toEqual(ids)
    })
  })
}
