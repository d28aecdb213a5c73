import type { Caller } from '@svc/kernel'
import type { Column, ColumnKind, Row, Store, Table, Value } from '@svc/store/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { size } from '../../../../test/kit/size.ts'
import { startStore, STORES } from '../../../../test/kit/stores.ts'
import { checkExpression } from '../check/check.ts'
import { compileExpression } from '../evaluate/compile.ts'
import { compile } from '../expression.ts'
import { kindOfColumn } from '../values/kind.ts'
import { parseExpression } from '../syntax/parse.ts'
import { print } from '../syntax/print.ts'
import type { EvaluationContext, Vocabulary } from '../vocabulary.ts'
import { translate, untranslatable } from './sql.ts'

const RUNS = size('EXPRESSION_RUNS', { smoke: 150, whole: 2000 })

const column = (name: string, kind: ColumnKind, nullable = true): Column => ({ name, kind, nullable })
const id = column('id', 'integer', false)
const COLUMNS: readonly Column[] = [
  id,
  column('title', 'text'),
  column('code', 'text'),
  column('size', 'integer'),
  column('count', 'integer', false),
  column('price', 'decimal'),
  column('ratio', 'float'),
  column('done', 'boolean'),
  column('open', 'boolean', false),
  column('dueOn', 'date'),
  column('startOn', 'date'),
  column('createdAt', 'datetime'),
  column('seenAt', 'datetime'),
  column('clock', 'time'),
  column('ownerId', 'uuid'),
  column('meta', 'json'),
]
const TABLE: Table = { name: 'sample', columns: COLUMNS, primaryKey: [id], indexes: [], foreignKeys: [] }
const columns = new Map(COLUMNS.map((one) => [one.name, one]))
const vocabulary: Vocabulary = {
  fields: new Map([
    ...COLUMNS.map((one) => [one.name, kindOfColumn(one.kind)] as const),
    ['virtual', 'number'],
  ]),
  caller: true,
  ownerField: 'ownerId',
  state: { field: 'code', names: new Set(['a', 'b']) },
}

const ANN = '018f3f2a-0000-7000-8000-000000000001'
const user: Caller = {
  kind: 'user',
  id: ANN,
  username: 'ann',
  email: 'ann@example.org',
  roles: ['editor', 'a'],
  claims: { limit: 2, tags: ['a', 'B', null, 1], until: '2026-01-31', nothing: null, odd: 'a\0b' },
}
const context: EvaluationContext = { user, op: 'list', now: () => Date.parse('2026-02-01T10:30:00.000Z') }

const TEXTS = [
  null,
  '',
  'a',
  'b',
  'B',
  'abc',
  ' a ',
  'ß',
  'İx',
  '😀b',
  '\uffee',
  "it's",
  'a%',
  '5',
  '2026-01-31',
]
const NUMBERS = [
  null,
  0,
  1,
  -1,
  2,
  7,
  1.5,
  -2.5,
  0.1,
  0.3,
  1.005,
  123456.789,
  1e300,
  -1e300,
  5e-324,
  1.7976931348623157e308,
]
const WHOLE = [null, 0, 1, -1, 2, 3, 7, 1000, 2 ** 53 - 1, -(2 ** 53 - 1)]
const DATES = [null, '2026-01-31', '2026-02-01', '2024-02-29', '0001-01-01', '9999-12-31', '1969-12-31']
const MOMENTS = [
  null,
  '2026-01-31T00:00:00.000Z',
  '2026-02-01T10:30:00.000Z',
  '2026-01-31T23:59:59.999Z',
  '0001-01-01T00:00:00.001Z',
  '9999-12-31T23:59:59.999Z',
  '1969-12-31T12:00:00.123Z',
]
const pick = <T>(values: readonly T[], at: number): T => values[at % values.length]!

const ROWS: readonly Row[] = Array.from({ length: 80 }, (_, i) => ({
  id: i,
  title: pick(TEXTS, i),
  code: pick(TEXTS, i * 7 + 3),
  size: pick(WHOLE, i),
  count: pick(WHOLE.slice(1), i * 3),
  price: pick(NUMBERS, i * 5 + 1),
  ratio: pick(NUMBERS, i),
  done: pick([null, true, false], i),
  open: i % 4 < 2,
  dueOn: pick(DATES, i),
  startOn: pick(DATES, i * 3 + 1),
  createdAt: pick(MOMENTS, i),
  seenAt: pick(MOMENTS, i * 3 + 2),
  clock: pick([null, '10:00:00', '10:00:00.5', '23:59:59'], i),
  ownerId: pick([null, ANN, '018f3f2a-0000-7000-8000-000000000002'], i),
  meta: pick([null, 1, { a: 1 }, ['x']] as readonly Value[], i),
}))

const place = { vocabulary, columns }
const checked = (source: string) => {
  const { ast, kinds } = compile(source, vocabulary)
  return { ast, kinds }
}

describe('what SQL cannot say', () => {
  it.each([
    ["title matches '^a'", "title matches '^a'"],
    ["lower(format('{0}', title)) == 'a'", "format('{0}', title)"],
    ["size(split(title, ',')) > 1", "split(title, ',')"],
    ["formatDate(dueOn, 'yyyy') == '2026'", "formatDate(dueOn, 'yyyy')"],
    ["concat(title, size) == 'a1'", 'size'],
    ['virtual > 1', 'virtual'],
    ["meta.a == 'x'", 'meta'],
    ['price % 2 == 0', 'price'],
    ['title == dueOn', 'title'],
    ['coalesce(title, 5) == 5', '5'],
    ['(title ?? user.claims.x) == 1', 'user.claims.x'],
    ['hasAnyRole(title, code)', 'hasAnyRole(title, code)'],
    ['user.roles[size] == title', 'user.roles[size]'],
  ])('%s: %s', (source, node) => {
    const found = untranslatable(checked(source), place)
    expect(found && print(found.node)).toBe(node)
    expect(found?.reason).toMatch(/\w/)
  })

  it('is nothing where the record is not read', () => {
    const source =
      "size(split('a,b', ',')) > 1 or user.username matches '^a' or format('{0}', user.id) == title"
    expect(untranslatable(checked(source), place)).toBeUndefined()
  })
})

describe('what is known before the query', () => {
  const rows = (source: string) => translate(checked(source), place)({ ...context, rowsOf: 'author' })

  it.each([
    ["hasRole('editor')", { op: 'always' }],
    ["hasRole('admin') and size > 1", { op: 'never' }],
    ["hasRole('editor') or size > 1", { op: 'always' }],
    ["hasRole('editor') and size > 1", { op: 'gt', column: columns.get('size'), value: 1 }],
    ['not (size > 1)', { op: 'lte', column: columns.get('size'), value: 1 }],
    ['isOwner()', { op: 'eq', column: columns.get('ownerId'), value: ANN }],
    ['dueOn < now()', { op: 'lte', column: columns.get('dueOn'), value: '2026-02-01' }],
    [
      "createdAt >= '2026-01-31'",
      { op: 'gte', column: columns.get('createdAt'), value: '2026-01-31T00:00:00.000Z' },
    ],
    ["title in ['a', 'b']", { op: 'in', column: columns.get('title'), values: ['a', 'b'] }],
    ['title != null', { op: 'not', of: { op: 'null', column: columns.get('title') } }],
    ['title', { op: 'never' }],
    ['true', { op: 'always' }],
  ])('is no part of it: %s', (source, condition) => {
    expect(rows(source)).toEqual(condition)
  })
})

/** Sources of each kind of value; some parts are of another kind on purpose. */
const { condition } = fc.letrec<Record<'condition' | 'number' | 'text' | 'date' | 'any', string>>((tie) => {
  const [condition, number, text, date, any] = [
    tie('condition'),
    tie('number'),
    tie('text'),
    tie('date'),
    tie('any'),
  ]
  const make = (template: string, ...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
    fc
      .tuple(...parts)
      .map((values) => template.replace(/\{(\d)\}/g, (_, i: string) => `(${values[Number(i)]})`))
  const leaf = (...sources: string[]) => fc.constantFrom(...sources)
  const same = fc.constantFrom('==', '!=', '<', '<=', '>', '>=')
  const compared = (a: fc.Arbitrary<string>, b: fc.Arbitrary<string>) =>
    fc.tuple(a, same, b).map(([left, operator, right]) => `(${left}) ${operator} (${right})`)
  const arithmetic = fc.tuple(number, fc.constantFrom('+', '-', '*', '/'), number)
  return {
    any: fc.oneof(
      { maxDepth: 4 },
      condition,
      number,
      text,
      date,
      leaf('null', 'user.claims.limit', 'user.claims.tags', 'user.claims.nothing', 'meta'),
    ),
    condition: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf(
        'done',
        'open',
        'true',
        'false',
        'null',
        'isOwner()',
        "inState('a')",
        "hasRole('a')",
        'isAuthenticated()',
        "hasField('size')",
        'meta == null',
        'isNull(meta)',
      ),
      compared(number, number),
      compared(text, text),
      compared(date, date),
      compared(any, any),
      make('{0} and {1}', condition, condition),
      make('{0} or {1}', condition, condition),
      make('not {0}', condition),
      make('{0} == null', any),
      make('isNull({0})', any),
      make('isEmpty({0})', any),
      make("{0} in ['a', 'b', {1}]", text, text),
      make('{0} in [1, 2, null]', number),
      make('{0} not in [{1}, {2}]', number, number, any),
      make("{0} in ['2026-01-31', '2026-01-31T23:59:59.999Z', null]", date),
      make('{0} in user.claims.tags', text),
      make('user.claims.tags contains {0}', any),
      make('{0} contains {1}', text, text),
      make('{0} startsWith {1}', text, text),
      make('{0} endsWith {1}', text, text),
      make('hasRole({0})', text),
      make('{0} ? {1} : {2}', condition, condition, condition),
      make('if({0}, {1})', condition, condition),
      make('{0} ?? {1}', condition, condition),
    ),
    number: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf(
        'size',
        'count',
        'price',
        'ratio',
        '0',
        '1',
        '2.5',
        '1e300',
        'user.claims.limit',
        'record.size',
        "field('price')",
      ),
      arithmetic.map(([a, operator, b]) => `(${a}) ${operator} (${b})`),
      leaf('size % 2', 'count % 3', 'size % count', '-size % 7', 'year(dueOn) % 4'),
      make('-{0}', number),
      make('abs({0})', number),
      make('floor({0})', number),
      make('ceil({0})', number),
      make('round({0})', number),
      make('round({0}, 2)', number),
      make('round({0}, -1)', number),
      make('round({0}, {1})', number, number),
      make('min({0}, {1})', number, number),
      make('max({0}, {1}, [3, null])', number, number),
      make('length({0})', text),
      make('year({0})', date),
      make('month({0})', date),
      make('day({0})', date),
      make('hour({0})', date),
      make('daysBetween({0}, {1})', date, date),
      make('hoursBetween({0}, {1})', date, date),
      make('coalesce({0}, {1})', number, number),
      make('{0} ?? {1}', number, number),
      make('{0} ? {1} : {2}', condition, number, number),
    ),
    text: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf(
        'title',
        'code',
        'ownerId',
        'clock',
        "'a'",
        "''",
        "'ß'",
        "'😀b'",
        'user.id',
        'user.username',
        "field('title')",
        'record.code',
      ),
      make('{0} + {1}', text, text),
      make('lower({0})', text),
      make('upper({0})', text),
      make('trim({0})', text),
      make('concat({0}, {1})', text, condition),
      make("concat({0}, 1.5, 'x')", text),
      make('substring({0}, 1)', text),
      make('substring({0}, {1}, {2})', text, number, number),
      make('{0}[{1}]', text, number),
      make('{0}[0]', text),
      make("replace({0}, 'a', {1})", text, text),
      make('replace({0}, {1}, {2})', text, text, text),
      make('coalesce({0}, {1})', text, text),
      make('{0} ? {1} : null', condition, text),
    ),
    date: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf(
        'dueOn',
        'startOn',
        'createdAt',
        'seenAt',
        'now()',
        'today()',
        '$now',
        "'2026-01-31'",
        "'2026-01-31T23:59:59.999Z'",
        "'never'",
        'user.claims.until',
        'record.dueOn',
        "field('createdAt')",
      ),
      make('date({0})', date),
      make('addDays({0}, 1)', date),
      make('addDays({0}, {1})', date, number),
      make('addMonths({0}, {1})', date, number),
      make('addMonths({0}, -1)', date),
      make('startOf({0}, {1})', date, leaf("'hour'", "'day'", "'week'", "'month'", "'quarter'", "'year'")),
      make('coalesce({0}, {1})', date, date),
    ),
  }
})

for (const under of STORES) {
  describe(`conditions as rows of the ${under.name} store`, () => {
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

    const selected = async (source: string): Promise<readonly Value[] | undefined> => {
      const ast = parseExpression(source)
      const { kinds } = checkExpression(ast, vocabulary)
      if (untranslatable({ ast, kinds }, place)) return undefined
      const where = translate({ ast, kinds }, place)({ ...context, rowsOf: 'author' })
      const rows = await store.select({
        table: TABLE,
        columns: [id],
        where,
        order: [{ column: id, descending: false }],
      })
      return rows.map((row) => row['id'] ?? null)
    }
    const held = (source: string): readonly Value[] => {
      const ast = parseExpression(source)
      const evaluate = compileExpression(ast, vocabulary, checkExpression(ast, vocabulary).kinds)
      return ROWS.filter((record) => evaluate({ ...context, record }) === true).map(
        (row) => row['id'] ?? null,
      )
    }

    it('keeps the records as they were written', async () => {
      const rows = await store.select({
        table: TABLE,
        columns: COLUMNS,
        where: { op: 'always' },
        order: [{ column: id, descending: false }],
      })
      expect(rows).toEqual(ROWS)
    })

    it('are those for which the closure holds', async () => {
      let translated = 0
      await fc.assert(
        fc.asyncProperty(condition, async (source) => {
          const rows = await selected(source)
          fc.pre(rows !== undefined)
          translated += 1
          expect(rows).toEqual(held(source))
        }),
        { numRuns: RUNS, maxSkipsPerRun: 100 },
      )
      expect(translated).toBeGreaterThanOrEqual(RUNS)
    }, 300_000)

    it('never meet a text that no store keeps', async () => {
      expect(await selected('title == user.claims.odd or title in [user.claims.odd]')).toEqual([])
      expect(await selected('title != user.claims.odd')).toEqual(held('title != user.claims.odd'))
      expect(await selected('title < user.claims.odd')).toEqual([])
    })

    it('are as deep as an expression can be', async () => {
      for (const source of [
        `size ${'+ size * 2 - 1 '.repeat(80)} > 0`,
        `${'not '.repeat(60)} done`,
        `title ${"+ 'x' ".repeat(200)} != ''`,
        Array.from({ length: 240 }, (_, i) => `size == ${i}`).join(' or '),
        `${'(done ? open : '.repeat(30)}done${')'.repeat(30)}`,
        `${'replace('.repeat(60)}title${", 'a', 'b')".repeat(60)} == 'b'`,
      ]) {
        expect(await selected(source)).toEqual(held(source))
      }
    })
  })
}
