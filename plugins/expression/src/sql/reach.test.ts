import type { Caller } from '@svc/kernel'
import type { Column, ColumnKind, Condition, Row, Store, Table, Value } from '@svc/store/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { size } from '../../../../test/kit/size.ts'
import { startStore, STORES } from '../../../../test/kit/stores.ts'
import { compile, type Expression } from '../expression.ts'
import { ExpressionError } from '../fault.ts'
import { type Kind, kindOfColumn } from '../values/kind.ts'
import type { Join, Reach, Relation } from '../relation.ts'
import type { EvaluationContext, Neighbour, Neighbours, Vocabulary } from '../vocabulary.ts'
import { translate, translateValue, untranslatable } from './sql.ts'
import type { RowsOf } from './term.ts'

const RUNS = size('REACH_RUNS', { smoke: 200, whole: 2000 })

const column = (name: string, kind: ColumnKind, nullable = true): Column => ({ name, kind, nullable })
function tableOf(name: string, ...columns: readonly Column[]): Table {
  return {
    name,
    columns,
    primaryKey: columns.slice(0, 1),
    indexes: columns
      .filter((one) => /Id$|owner/.test(one.name))
      .map((one) => ({ name: `${name}_${one.name}`, columns: [one], unique: false })),
    foreignKeys: [],
  }
}
const id = column('id', 'integer', false)
const common = () => [id, column('title', 'text'), column('size', 'integer'), column('price', 'decimal')]
const more = () => [column('done', 'boolean'), column('dueOn', 'date'), column('deletedAt', 'datetime')]
const TABLES = {
  house: tableOf('house', ...common(), ...more(), column('owner', 'text')),
  animal: tableOf('animal', ...common(), ...more(), column('houseId', 'integer')),
  visit: tableOf('visit', ...common(), ...more(), column('animalId', 'integer')),
  line: tableOf('line', ...common(), ...more(), column('visitId', 'integer'), column('houseId', 'integer')),
  tag: tableOf('tag', ...common(), ...more()),
}
type Name = keyof typeof TABLES
const [visitKey, tagKey] = [column('visitId', 'integer', false), column('tagId', 'integer', false)]
const JUNCTION: Table = {
  name: 'visit_tag',
  columns: [visitKey, tagKey],
  primaryKey: [visitKey, tagKey],
  indexes: [{ name: 'visit_tag_tag', columns: [tagKey], unique: false }],
  foreignKeys: [],
}

const of = (name: Name, field: string): Column => TABLES[name].columns.find((one) => one.name === field)!
const live = (name: Name): Condition => ({ op: 'null', column: of(name, 'deletedAt') })
const columnsOf = (name: Name) => new Map(TABLES[name].columns.map((one) => [one.name, one]))
const up = (column: Column, descending = false) => ({ column, descending })

const VOCABULARIES = new Map<Name, Vocabulary>()
function vocabularyOf(name: Name): Vocabulary {
  const known = VOCABULARIES.get(name)
  if (known) return known
  const fields = new Map<string, Kind>(TABLES[name].columns.map((one) => [one.name, kindOfColumn(one.kind)]))
  const made: Vocabulary = {
    fields,
    caller: true,
    ownerField: name === 'house' ? 'owner' : undefined,
    state: { field: 'title', names: new Set(['a', 'b']) },
    get relations() {
      return new Map(RELATIONS[name].map((one) => [one.name, one]))
    },
  }
  VOCABULARIES.set(name, made)
  return made
}

const relation = (
  name: string,
  target: Name,
  many: boolean,
  near: string,
  join: Omit<Join, 'columns'>,
): Relation => ({
  name,
  many,
  near,
  get vocabulary() {
    return vocabularyOf(target)
  },
  join: { ...join, columns: columnsOf(target) },
})
const toOne = (name: string, from: Name, target: Name): Relation =>
  relation(name, target, false, `${name}Id`, {
    related: { table: TABLES[target], on: [id, of(from, `${name}Id`)], where: live(target) },
    order: [],
  })
const toMany = (name: string, target: Name, key: string, order: Join['order']): Relation =>
  relation(name, target, true, 'id', {
    related: { table: TABLES[target], on: [of(target, key), id], where: live(target) },
    order: [...order, up(id)],
  })
const RELATIONS: Readonly<Record<Name, readonly Relation[]>> = {
  house: [toMany('animals', 'animal', 'houseId', [])],
  animal: [toOne('house', 'animal', 'house'), toMany('visits', 'visit', 'animalId', [])],
  visit: [
    toOne('animal', 'visit', 'animal'),
    toMany('lines', 'line', 'visitId', [up(of('line', 'size'), true), up(of('line', 'title'))]),
    relation('tags', 'tag', true, 'id', {
      between: { table: JUNCTION, on: [visitKey, id], where: { op: 'always' } },
      related: { table: TABLES.tag, on: [id, tagKey], where: live('tag') },
      order: [up(of('tag', 'title'), true), up(id)],
    }),
  ],
  line: [toOne('visit', 'line', 'visit'), toOne('house', 'line', 'house')],
  tag: [],
}

const TEXTS = [null, 'a', 'b', 'B', '', 'ß', '😀b', '\uffee']
const NUMBERS = [null, 0, 1, -1, 0.1, 0.2, 2.5, 1e300, -1e300, 1.7e308, 5e-324, 1234.56]
const WHOLE = [null, 0, 1, 2, 2, 3, 7]
const DATES = [null, '2026-01-31', '2026-02-01', '2024-02-29']
const pick = <T>(values: readonly T[], at: number): T => values[at % values.length]!
const row = (i: number, more: Row): Row => ({
  id: i,
  title: pick(TEXTS, i * 3 + 1),
  size: pick(WHOLE, i),
  price: pick(NUMBERS, i * 5 + (i >> 2)),
  done: pick([null, true, false, true], i * 7 + (i >> 3)),
  dueOn: pick(DATES, i),
  deletedAt: i % 7 === 3 ? '2026-01-01T00:00:00.000Z' : null,
  ...more,
})
const rows = (count: number, more: (i: number) => Row) =>
  Array.from({ length: count }, (_, i) => row(i, more(i)))
const ROWS: Readonly<Record<Name, readonly Row[]>> = {
  house: rows(8, (i) => ({ owner: pick(['ann', 'bob', null], i) })),
  animal: rows(16, (i) => ({ houseId: pick([0, 1, 2, 3, null, 99], i) })),
  visit: rows(40, (i) => ({ animalId: pick([...Array(15).keys(), null, 77], i * 3) })),
  line: rows(90, (i) => ({
    visitId: pick([0, 1, 2, 5, 8, 13, 21, 34, null], i + (i >> 3)),
    houseId: pick([0, 3, null], i),
  })),
  tag: rows(9, () => ({})),
}
const LINKS = Array.from({ length: 50 }, (_, i) => [(i * 7) % 40, i % 9] as const)

const user: Caller = {
  kind: 'user',
  id: 'ann',
  username: 'ann',
  email: 'ann@example.org',
  roles: ['a'],
  claims: {},
}
const context: EvaluationContext = { user, op: 'list', now: () => Date.parse('2026-02-01T10:30:00.000Z') }

/** What a record leads to, by the data alone. */
function neighboursOf(record: Row, reach: Reach, isThere = (_: Row) => true): Neighbours {
  const found: Record<string, Neighbour | readonly Neighbour[] | null> = {}
  for (const [name, { relation: one, reach: further }] of reach) {
    const all = relatedTo(record, one)
      .filter(isThere)
      .map((other) => ({ record: other, neighbours: neighboursOf(other, further, isThere) }))
    found[name] = one.many ? all : (all[0] ?? null)
  }
  return found
}

function relatedTo(record: Row, { join: { between, related, order } }: Relation): readonly Row[] {
  const table = Object.entries(TABLES).find(([, one]) => one === related.table)![0] as Name
  const [inner, outer] = related.on
  const keys = between
    ? LINKS.filter(([visit]) => visit === record['id']).map(([, tag]) => tag as Value)
    : [record[outer.name] ?? null]
  return ROWS[table]
    .filter(
      (other) =>
        other['deletedAt'] === null && keys.includes(other[inner.name] ?? null) && other[inner.name] !== null,
    )
    .toSorted((a, b) => {
      for (const {
        column: { name },
        descending,
      } of order) {
        const sign = compared(a[name] ?? null, b[name] ?? null)
        if (sign !== 0) return descending ? -sign : sign
      }
      return 0
    })
}

function compared(a: Value, b: Value): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [one, other] = [[...String(a)], [...String(b)]]
  for (let i = 0; ; i++) {
    if (one[i] === undefined || other[i] === undefined) return one.length - other.length
    const difference = one[i]!.codePointAt(0)! - other[i]!.codePointAt(0)!
    if (difference !== 0) return difference
  }
}

const vocabulary = vocabularyOf('visit')
const place = { vocabulary, columns: columnsOf('visit') }

const expressionsOfVisits = fc.letrec<Record<`${Name}${'Condition' | 'Number' | 'Text' | 'Date'}`, string>>(
  (tie) => {
    const make = (template: string, ...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
      fc
        .tuple(...parts)
        .map((values) => template.replace(/\{(\d)\}/g, (_, i: string) => `(${values[Number(i)]})`))
    const leaf = (...sources: string[]) => fc.constantFrom(...sources)
    const same = fc.constantFrom('==', '!=', '<', '<=', '>', '>=')
    const compare = (a: fc.Arbitrary<string>, b: fc.Arbitrary<string>) =>
      fc.tuple(a, same, b).map(([left, by, right]) => `(${left}) ${by} (${right})`)
    const speaking = (name: Name) => {
      const [condition, number, text, date] = [
        tie(`${name}Condition`),
        tie(`${name}Number`),
        tie(`${name}Text`),
        tie(`${name}Date`),
      ]
      const ones = RELATIONS[name].filter(({ many }) => !many)
      const lists = RELATIONS[name].filter(({ many }) => many)
      const targetOf = ({ join }: Relation): Name => join.related.table.name as Name
      const fields = (field: string) => [field, ...ones.map((one) => `${one.name}.${field}`)]
      const deeper = (field: string) =>
        ones.flatMap((one) =>
          RELATIONS[targetOf(one)]
            .filter(({ many }) => !many)
            .map((two) => `${one.name}.${two.name}.${field}`),
        )
      const over = (fn: string, which: 'Condition' | 'Number' | 'Text' | 'Date') =>
        lists.map((list) => make(`${fn}(${list.name}, {0})`, tie(`${targetOf(list)}${which}`)))
      const throughOne = (write: (path: string) => string) =>
        ones.flatMap((one) =>
          RELATIONS[targetOf(one)]
            .filter(({ many }) => many)
            .map((list) => leaf(write(`${one.name}.${list.name}`))),
        )
      return {
        [`${name}Condition`]: fc.oneof(
          { maxDepth: 3, withCrossShrink: true, depthIdentifier: 'reach' },
          leaf(
            ...fields('done'),
            ...deeper('done'),
            "inState('a')",
            'isOwner()',
            ...ones.map((one) => `${one.name} == null`),
          ),
          compare(number, number),
          compare(number, leaf('0', '1', '2')),
          compare(text, text),
          compare(text, leaf("'a'", "'b'", 'user.id', 'null')),
          compare(date, date),
          compare(date, leaf("'2026-01-31'")),
          make('{0} and {1}', condition, condition),
          make('{0} or {1}', condition, condition),
          make('not {0}', condition),
          make("{0} in ['a', null]", text),
          make("{0} not in ['a', 'b']", text),
          make('{0} in [1, 2]', number),
          make('isNull({0})', text),
          make('{0} == null', number),
          make("{0} startsWith 'a'", text),
          ...over('any', 'Condition'),
          ...over('all', 'Condition'),
          ...throughOne((path) => `any(${path}, done)`),
          ...throughOne((path) => `all(${path}, done)`),
        ),
        [`${name}Number`]: fc.oneof(
          { maxDepth: 3, withCrossShrink: true, depthIdentifier: 'reach' },
          leaf(...fields('size'), ...fields('price'), ...deeper('price'), '2'),
          make('{0} + {1}', number, number),
          make('{0} * {1}', number, number),
          make('coalesce({0}, 0)', number),
          ...lists.map(({ name: list }) =>
            leaf(`count(${list})`, `sum(${list}.price)`, `size(${list})`, `max(${list}.size)`),
          ),
          ...over('count', 'Condition'),
          ...(['sum', 'avg', 'min', 'max', 'first', 'last'] as const).flatMap((fn) => over(fn, 'Number')),
          ...throughOne((path) => `sum(${path}.price)`),
          ...throughOne((path) => `count(${path})`),
          ...throughOne((path) => `first(${path}.price)`),
        ),
        [`${name}Text`]: fc.oneof(
          { maxDepth: 3, withCrossShrink: true, depthIdentifier: 'reach' },
          leaf(
            ...fields('title'),
            ...deeper('title'),
            "'a'",
            'user.id',
            ...(name === 'house' ? ['owner'] : []),
          ),
          make('lower({0})', text),
          make('{0} ?? {1}', text, text),
          ...(['min', 'max', 'first', 'last'] as const).flatMap((fn) => over(fn, 'Text')),
        ),
        [`${name}Date`]: fc.oneof(
          { maxDepth: 2, withCrossShrink: true, depthIdentifier: 'reach' },
          leaf(...fields('dueOn'), ...deeper('dueOn')),
          make('addDays({0}, 1)', date),
          ...(['max', 'first'] as const).flatMap((fn) => over(fn, 'Date')),
        ),
      }
    }
    return Object.assign({}, ...(Object.keys(TABLES) as Name[]).map(speaking))
  },
)

const { visitCondition, visitNumber, visitText, visitDate } = expressionsOfVisits

/** The expression; undefined where it is refused, which random ones are that go too far. */
function made(source: string): Expression | undefined {
  try {
    return compile(source, vocabulary)
  } catch (error) {
    if (error instanceof ExpressionError) return undefined
    throw error
  }
}

const evaluated = (expression: Expression): readonly Value[] =>
  ROWS.visit.map((record) =>
    expression.evaluate({ ...context, record, neighbours: neighboursOf(record, expression.reach) }),
  )

describe('a record with its neighbours', () => {
  const valueOf = (source: string, at: number): Value => evaluated(compile(source, vocabulary))[at] ?? null

  it('is read by what was asked for and nothing else', () => {
    const { fields, reach } = compile(
      'animal.house.owner == user.id and sum(lines, size * price) > 1',
      vocabulary,
    )
    expect([...fields]).toEqual(['animalId', 'id'])
    expect([...reach.keys()]).toEqual(['animal', 'lines'])
    expect([...(reach.get('animal')?.reach.keys() ?? [])]).toEqual(['house'])
    expect([...(reach.get('animal')?.reach.get('house')?.fields ?? [])]).toEqual(['owner'])
    expect([...(reach.get('lines')?.fields ?? [])]).toEqual(['size', 'price'])
  })

  it('has no values where its neighbour is gone or deleted', () => {
    for (const [at, record] of ROWS.visit.entries()) {
      const animal = ROWS.animal.find((one) => one['id'] === record['animalId'] && one['deletedAt'] === null)
      expect(valueOf('animal.title', at)).toBe(animal?.['title'] ?? null)
      expect(valueOf('animal == null', at)).toBe(animal === undefined)
    }
  })
})

for (const under of STORES) {
  describe(`reaching conditions as rows of the ${under.name} store`, () => {
    let store: Store
    let stop: () => Promise<void>
    beforeAll(async () => {
      ;({ store, stop } = await startStore(under))
      await store.ensure([...Object.values(TABLES), JUNCTION])
      await store.transaction(async (tx) => {
        for (const name of Object.keys(TABLES) as Name[])
          await tx.insertRows({ table: TABLES[name], rows: ROWS[name] })
        const links = LINKS.map(([visitId, tagId]) => ({ visitId, tagId }))
        await tx.insertRows({ table: JUNCTION, rows: links, onConflict: 'ignore' })
      })
    })
    afterAll(() => stop())

    const selected = async (expression: Expression): Promise<readonly Value[]> => {
      const where = translate(expression, place)({ ...context, rowsOf: 'author' })
      const order = [{ column: id, descending: false }]
      const found = await store.select({ table: TABLES.visit, columns: [id], where, order })
      return found.map((one) => one['id'] ?? null)
    }
    const held = (expression: Expression): readonly Value[] => {
      const values = evaluated(expression)
      return ROWS.visit.filter((_, at) => values[at] === true).map((record) => record['id'] ?? null)
    }

    it.each([
      'animal.house.owner == user.id',
      'animal.house.owner != user.id',
      'not (animal.house.owner == user.id)',
      'sum(lines, size * price) > 1',
      'sum(lines.price) == 0',
      'count(lines) > 2 and not any(lines, done)',
      'first(lines.title) == last(tags.title)',
      "any(tags, title == 'a' or size > 2)",
      'all(lines, house.done)',
      'avg(lines.size) > 1.5',
      'sum(animal.visits, size) > 3',
      'count(animal.house.animals) > 1',
      "max(lines.dueOn) >= '2026-01-31'",
      'sum(lines, size * coalesce(house.size, 1)) > 2',
      'any(lines, sum(house.animals, size) > 3)',
    ])('are those for which the closure holds: %s', async (source) => {
      const expression = compile(source, vocabulary)
      expect(untranslatable(expression, place)).toBeUndefined()
      expect(await selected(expression)).toEqual(held(expression))
    })

    it('are those for which the closure holds, whatever they say', async () => {
      let reaching = 0
      await fc.assert(
        fc.asyncProperty(visitCondition, async (source) => {
          const expression = made(source)
          fc.pre(expression !== undefined && untranslatable(expression, place) === undefined)
          reaching += Number(expression.reach.size > 0)
          expect(await selected(expression)).toEqual(held(expression))
        }),
        { numRuns: RUNS, maxSkipsPerRun: 100 },
      )
      expect(reaching).toBeGreaterThan(RUNS / 4)
    }, 300_000)

    const KINDS = { text: 'text', number: 'float', boolean: 'boolean' } as const
    /** What the store works out for each visit, as JSON says it; undefined where SQL cannot say it. */
    async function worth(
      expression: Expression,
      rowsOf: RowsOf | 'author' = 'author',
    ): Promise<string | undefined> {
      const term = translateValue(expression, place)?.({ ...context, rowsOf })
      if (term === undefined) return undefined
      if (term.scalar === undefined) return JSON.stringify(ROWS.visit.map(() => term.value))
      const worked = [{ column: column('~0', KINDS[term.type]), scalar: term.scalar }]
      const order = [{ column: id, descending: false }]
      const where: Condition = { op: 'always' }
      const page = { table: TABLES.visit, columns: [id], worked, where, order }
      const found = await store.select({ ...page, limit: ROWS.visit.length })
      expect(await store.select(page)).toEqual(found)
      return JSON.stringify(found.map((one) => one['~0'] ?? null))
    }

    it('are worth the same as closures to the last digit, whatever they say', async () => {
      let reaching = 0
      await fc.assert(
        fc.asyncProperty(fc.oneof(visitNumber, visitText, visitDate, visitCondition), async (source) => {
          const expression = made(source)
          fc.pre(expression !== undefined)
          const found = await worth(expression)
          fc.pre(found !== undefined)
          reaching += Number(expression.reach.size > 0)
          expect(found).toBe(JSON.stringify(evaluated(expression)))
        }),
        { numRuns: RUNS, maxSkipsPerRun: 100 },
      )
      expect(reaching).toBeGreaterThan(RUNS / 4)
    }, 300_000)

    it.each([
      'animal.title',
      'animal.house.owner',
      'sum(lines, size * coalesce(price, 1))',
      'count(tags)',
      'first(tags.title)',
      'all(tags, size > 2)',
      'sum(animal.visits, size)',
      'count(lines, house != null)',
    ])('are worth what those records make of them that are there for whoever asks: %s', async (source) => {
      const expression = compile(source, vocabulary)
      const isThere = (row: Row) => typeof row['size'] === 'number' && row['size'] > 1
      const rowsOf = ({ join }: Relation): Condition => ({
        op: 'gt',
        column: of(join.related.table.name as Name, 'size'),
        value: 1,
      })
      const values = ROWS.visit.map((record) => {
        const neighbours = neighboursOf(record, expression.reach, isThere)
        return expression.evaluate({ ...context, record, neighbours })
      })
      expect(await worth(expression, rowsOf)).toBe(JSON.stringify(values))
      expect(JSON.stringify(values)).not.toBe(JSON.stringify(evaluated(expression)))
    })

    it('are worth nothing to a store that cannot say them', () => {
      for (const source of ["split(animal.title, ',')", 'format(animal.size, "0")'])
        expect(translateValue(compile(source, vocabulary), place)).toBeUndefined()
    })
  })
}
