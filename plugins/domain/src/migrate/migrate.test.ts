import fc from 'fast-check'
import type { Catalog, Row, Store, Value } from '@svc/store/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { size } from '../../../../test/kit/size.ts'
import { startStore, STORES } from '../../../../test/kit/stores.ts'
import { loadDefinition } from '../definition/load.ts'
import { createFieldTypes } from '../fields/index.ts'
import { buildModel, type Model } from '../model/model.ts'
import { createReport } from '../model/report.ts'
import { VERSION } from '../model/table.ts'
import { COUNTERS } from '../write/counters.ts'
import { diffModels } from './diff.ts'
import { explain, lossesOf, run, settle } from './plan.ts'
import { reverseWork } from './reverse.ts'

const types = createFieldTypes()
const extensions = { typeAttributes: types.attributes, domainBlocks: {}, resourceBlocks: {} }
let domains = 0

type Resources = Readonly<Record<string, { readonly object: object; readonly [key: string]: unknown }>>

/** Each test has a domain of its own, and so tables of its own. */
const newDomain = () => `d${(domains += 1)}`

async function modelOf(name: string, resources: Resources, more: object = {}): Promise<Model> {
  const text = JSON.stringify({ domain: { name, version: '1', resources, ...more } })
  const { definition, checksum } = await loadDefinition({ text }, { extensions, variables: () => undefined })
  const report = createReport()
  const model = buildModel(definition, { types, checksum: () => checksum, report })
  expect(report.problems).toEqual([])
  return model
}

/** What a catalog holds of one domain; neither the order of columns nor that of indexes means anything. */
function tablesOf({ tables }: Catalog, domain: string) {
  const sorted = <T extends { readonly name: string }>(all: readonly T[]) =>
    all.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return sorted(tables.filter(({ name }) => name.startsWith(`${domain}_`))).map((table) => ({
    name: table.name,
    columns: sorted(table.columns),
    indexes: sorted(table.indexes),
  }))
}

for (const under of STORES) {
  describe(`migrations on ${under.name}`, () => {
    let store: Store
    let stop: () => Promise<void>
    beforeAll(async () => void ({ store, stop } = await startStore(under)))
    afterAll(() => stop())

    async function migrate(from: Model | undefined, to: Model): Promise<readonly string[]> {
      return store.define(async (definition) => {
        const { steps } = await settle(diffModels(from, to), definition)
        return run(
          steps.flatMap(({ work }) => work),
          definition,
        )
      })
    }

    async function rollBack(from: Model | undefined, to: Model): Promise<void> {
      await store.define((definition) =>
        run(reverseWork(diffModels(from, to).flatMap(({ work }) => work)), definition),
      )
    }

    const insert = (model: Model, resource: string, values: Row) =>
      store.transaction((tx) => tx.insert({ table: model.resources.get(resource)!.table, values }))

    async function rowsOf(model: Model, resource: string): Promise<readonly Row[]> {
      const { table } = model.resources.get(resource)!
      const order = table.primaryKey.map((column) => ({ column, descending: false }))
      const columns = table.columns.filter(({ name }) => name !== VERSION.name)
      return store.select({ table, columns, where: { op: 'always' }, order })
    }

    async function losses(from: Model, to: Model): Promise<readonly string[]> {
      return lossesOf((await settle(diffModels(from, to), store)).steps)
    }

    const ID = { type: 'integer', primaryKey: true }

    it('makes all tables of a new domain, also where they refer to each other in a circle', async () => {
      const domain = newDomain()
      const model = await modelOf(domain, {
        Author: {
          object: { name: 'string' },
          relationships: { best: { type: 'belongsTo', target: 'Post', onDelete: 'nullify' } },
        },
        Post: {
          object: { title: { type: 'string', unique: true } },
          relationships: {
            author: { type: 'belongsTo', target: 'Author', onDelete: 'cascade' },
            tags: { type: 'belongsToMany', target: 'Tag' },
          },
        },
        Tag: { object: { name: 'string' } },
      })
      await migrate(undefined, model)
      const names = tablesOf(await store.catalog(), domain).map(({ name }) => name)
      expect(names).toEqual([`${domain}_author`, `${domain}_post`, `${domain}_post_tag`, `${domain}_tag`])
      expect(diffModels(model, model)).toEqual([])
    })

    it('keeps the values of a renamed field and of a renamed resource', async () => {
      const domain = newDomain()
      const one = await modelOf(domain, {
        Post: {
          object: { id: ID, title: { type: 'string', unique: true }, parentId: 'integer' },
          relationships: {
            parent: { type: 'belongsTo', target: 'Post', foreignKey: 'parentId', onDelete: 'cascade' },
            tags: { type: 'belongsToMany', target: 'Tag' },
          },
        },
        Tag: { object: { id: ID } },
      })
      const two = await modelOf(domain, {
        Article: {
          renamedFrom: 'Post',
          object: {
            id: ID,
            headline: { type: 'string', unique: true, renamedFrom: 'title' },
            parentId: 'integer',
          },
          relationships: {
            parent: { type: 'belongsTo', target: 'Article', foreignKey: 'parentId', onDelete: 'cascade' },
            tags: { type: 'belongsToMany', target: 'Tag' },
          },
        },
        Tag: { object: { id: ID } },
      })
      await migrate(undefined, one)
      await insert(one, 'Post', { id: 1, title: 'root', parentId: null })
      await insert(one, 'Post', { id: 2, title: 'leaf', parentId: 1 })
      await insert(one, 'Tag', { id: 5 })
      const [junction] = one.tables.filter(({ name }) => name.endsWith('post_tag'))
      await store.transaction((tx) => tx.insert({ table: junction!, values: { postId: 2, tagId: 5 } }))

      expect(await losses(one, two)).toEqual([])
      await migrate(one, two)
      expect(await rowsOf(two, 'Article')).toEqual([
        { id: 1, headline: 'root', parentId: null },
        { id: 2, headline: 'leaf', parentId: 1 },
      ])
      const linked = two.tables.find(({ name }) => name.endsWith('article_tag'))!
      const rows = await store.select({
        table: linked,
        columns: linked.columns,
        where: { op: 'always' },
        order: [],
      })
      expect(rows).toEqual([{ articleId: 2, tagId: 5 }])
      await expect(insert(two, 'Article', { id: 3, headline: 'leaf', parentId: null })).rejects.toThrow(
        'unique',
      )
      await expect(insert(two, 'Article', { id: 3, headline: 'x', parentId: 9 })).rejects.toThrow(
        'foreignKey',
      )
    })

    const CONVERSIONS: readonly [
      name: string,
      from: object,
      to: object,
      values: readonly (readonly [Value, Value])[],
    ][] = [
      [
        'text to integer',
        { type: 'string' },
        { type: 'integer' },
        [
          ['12', 12],
          ['x', null],
          [null, null],
        ],
      ],
      [
        'decimal to integer',
        { type: 'decimal' },
        { type: 'integer' },
        [
          [3, 3],
          [2.5, null],
        ],
      ],
      ['integer to text', { type: 'integer' }, { type: 'string' }, [[7, '7']]],
      [
        'text to date',
        { type: 'string' },
        { type: 'date' },
        [
          ['2026-02-03', '2026-02-03'],
          ['2026-02-30', null],
        ],
      ],
      [
        'date to datetime',
        { type: 'date' },
        { type: 'datetime' },
        [['2026-02-03', '2026-02-03T00:00:00.000Z']],
      ],
      [
        'text to boolean',
        { type: 'string' },
        { type: 'boolean' },
        [
          ['true', true],
          ['maybe', null],
        ],
      ],
      [
        'text to json and its default',
        { type: 'string' },
        { type: 'integer', required: true, default: 9 },
        [['x', 9]],
      ],
      [
        'longer to shorter text',
        { type: 'string' },
        { type: 'string', maxLength: 2 },
        [
          ['ab', 'ab'],
          ['abc', null],
        ],
      ],
    ]
    it.each(CONVERSIONS)('reads values anew: %s', async (_, before, after, values) => {
      const domain = newDomain()
      const one = await modelOf(domain, {
        Thing: { object: { id: ID, value: before }, indexes: [{ fields: ['value'] }] },
      })
      const two = await modelOf(domain, {
        Thing: { object: { id: ID, value: after }, indexes: [{ fields: ['value'] }] },
      })
      await migrate(undefined, one)
      for (const [at, [value]] of values.entries()) await insert(one, 'Thing', { id: at, value })
      await migrate(one, two)
      expect((await rowsOf(two, 'Thing')).map(({ value }) => value)).toEqual(values.map(([, value]) => value))
      await rollBack(one, two)
      expect(await rowsOf(one, 'Thing')).toHaveLength(values.length)
    })

    it('asks for permission only where something may be lost, and says what', async () => {
      const domain = newDomain()
      const model = (object: object, more?: object) =>
        modelOf(domain, { Thing: { object: { id: ID, ...object } } }, more)
      const enums = (...values: string[]) => ({ enums: { Size: { values } } })
      const lost = async (before: object, after: object, more: readonly [object?, object?] = []) =>
        (await losses(await model(before, more[0]), await model(after, more[1]))).join()
      await migrate(undefined, await model({ a: 'string' }))
      await insert(await model({ a: 'string' }), 'Thing', { id: 1, a: 'small' })

      expect(await lost({ a: 'string' }, { a: 'string', b: 'string' })).toBe('')
      expect(await lost({ a: 'string' }, { a: 'string', b: { type: 'string', required: true } })).toBe('')
      expect(await lost({ a: 'integer' }, { a: 'decimal' })).toBe('')
      expect(
        await lost({ a: { type: 'string', maxLength: 5 } }, { a: { type: 'string', maxLength: 9 } }),
      ).toBe('')
      expect(await lost({ a: { type: 'string', unique: true } }, { a: 'string' })).toBe('')
      expect(await lost({ a: 'string' }, {})).toContain("'a' is dropped")
      expect(await lost({ a: 'string' }, { b: 'string' })).toContain("'renamedFrom: a'")
      expect(await lost({ a: 'string' }, { a: 'email' })).toContain('from string to email')
      expect(await lost({ a: 'decimal' }, { a: 'integer' })).toContain('from decimal to integer')
      expect(await lost({ a: 'string' }, { a: { type: 'string', maxLength: 9 } })).toContain('maxLength')
      expect(await lost({ a: 'string' }, { a: { type: 'string', required: true } })).toContain(
        'becomes required',
      )
      const size = { a: { type: 'string', enum: 'Size' } }
      expect(await lost(size, size, [enums('small', 'large'), enums('small')])).toBe('')
      expect(await lost(size, size, [enums('small', 'large'), enums('large')])).toContain("'small'")
    })

    it('clears keys that lead nowhere when they become enforced', async () => {
      const domain = newDomain()
      const model = (onDelete: string) =>
        modelOf(domain, {
          Post: { object: { id: ID } },
          Note: {
            object: { id: ID, postId: 'integer' },
            relationships: { post: { type: 'belongsTo', target: 'Post', onDelete } },
          },
        })
      const [free, bound] = [await model('none'), await model('cascade')]
      await migrate(undefined, free)
      await insert(free, 'Post', { id: 1 })
      await insert(free, 'Note', { id: 1, postId: 1 })
      expect(await losses(free, bound)).toEqual([])
      await insert(free, 'Note', { id: 2, postId: 7 })
      expect(await losses(free, bound)).toHaveLength(1)
      await migrate(free, bound)
      expect(await rowsOf(bound, 'Note')).toEqual([
        { id: 1, postId: 1 },
        { id: 2, postId: null },
      ])
      await migrate(bound, await model('nullify'))
      const { table } = bound.resources.get('Post')!
      await store.transaction((tx) =>
        tx.remove({ table, where: { op: 'eq', column: table.primaryKey[0]!, value: 1 } }),
      )
      expect((await rowsOf(bound, 'Note')).map(({ postId }) => postId)).toEqual([null, null])
    })

    it('goes on counting in a field that is renamed', async () => {
      const domain = newDomain()
      const numbered = (field: object) => modelOf(domain, { Bill: { object: { id: ID, ...field } } })
      const one = await numbered({ nr: 'autoincrement' })
      const two = await numbered({ number: { type: 'autoincrement', renamedFrom: 'nr' } })
      const last = async (field: string) => {
        const where = { op: 'eq', column: COUNTERS.primaryKey[0]!, value: `${domain}_bill.${field}` } as const
        const [row] = await store.select({ table: COUNTERS, columns: COUNTERS.columns, where, order: [] })
        return row?.['value']
      }
      await store.ensure([COUNTERS])
      await migrate(undefined, one)
      await store.transaction((tx) =>
        tx.insert({ table: COUNTERS, values: { name: `${domain}_bill.nr`, value: 7 } }),
      )
      await migrate(one, two)
      expect(await last('number')).toBe(7)
      await rollBack(one, two)
      expect([await last('nr'), await last('number')]).toEqual([7, undefined])
    })

    it('refuses values that repeat where they become unique, and leaves everything as it was', async () => {
      const domain = newDomain()
      const one = await modelOf(domain, { Thing: { object: { id: ID, a: 'string' } } })
      const two = await modelOf(domain, {
        Thing: {
          object: { id: ID, a: { type: 'string', unique: true }, b: { type: 'string', default: 'x' } },
        },
      })
      await migrate(undefined, one)
      await insert(one, 'Thing', { id: 1, a: 'same' })
      await insert(one, 'Thing', { id: 2, a: 'same' })
      const before = tablesOf(await store.catalog(), domain)
      await expect(migrate(one, two)).rejects.toMatchObject({ code: 'CONFLICT' })
      expect(tablesOf(await store.catalog(), domain)).toEqual(before)
    })

    it('changes nothing when any one of its statements fails', async () => {
      const domain = newDomain()
      const [one, two] = [await modelOf(domain, RICH[0]), await modelOf(domain, RICH[1])]
      await migrate(undefined, one)
      await insert(one, 'Author', { id: 1, name: 'Ann', note: 'long text' })
      await insert(one, 'Post', { id: 1, title: '5', authorId: 1, old: 'x' })
      const before = tablesOf(await store.catalog(), domain)
      const work = diffModels(one, two).flatMap((step) => step.work)
      for (let failing = 0; failing < work.length; failing += 1) {
        const broken = store.define(async (definition) => {
          await run(work.slice(0, failing), definition)
          throw new Error('failed')
        })
        await expect(broken).rejects.toThrow('failed')
      }
      expect(tablesOf(await store.catalog(), domain)).toEqual(before)
      expect(await rowsOf(one, 'Post')).toEqual([{ id: 1, title: '5', authorId: 1, old: 'x' }])
      await migrate(one, two)
      expect(await rowsOf(two, 'Post')).toEqual([{ id: 1, title: 5, authorId: 1, state: 'new' }])
    })

    it('shows every step with the statements of both directions', async () => {
      const domain = newDomain()
      const [one, two] = [await modelOf(domain, RICH[0]), await modelOf(domain, RICH[1])]
      await migrate(undefined, one)
      const explained = diffModels(one, two).map((step) => explain(step, store))
      const added = explained.find(({ kind }) => kind === 'addColumn')!
      expect(added).toMatchObject({
        table: `${domain}_post`,
        column: 'state',
        destructive: false,
        reversible: true,
      })
      expect(added.up.join()).toContain('add column "state"')
      expect(added.down?.join()).toContain('drop column "state"')
      expect(explained.find(({ kind }) => kind === 'dropColumn')).toMatchObject({
        column: 'old',
        destructive: true,
        reversible: false,
      })
    })

    it('goes from any model to any other and back, to the same catalog', async () => {
      await fc.assert(
        fc.asyncProperty(RESOURCES, RESOURCES, async (first, second) => {
          const domain = newDomain()
          const [one, two] = [await modelOf(domain, first), await modelOf(domain, second)]
          await migrate(undefined, one)
          const before = tablesOf(await store.catalog(), domain)
          await migrate(one, two)
          const there = tablesOf(await store.catalog(), domain)
          expect(await migrate(two, two)).toEqual([])
          await rollBack(one, two)
          expect(tablesOf(await store.catalog(), domain)).toEqual(before)
          await migrate(one, two)
          expect(tablesOf(await store.catalog(), domain)).toEqual(there)
          await migrate(two, await modelOf(domain, { Last: { object: { id: 'uuid' } } }))
        }),
        { numRuns: size('PROPERTY_RUNS', { smoke: 15, whole: 300 }), seed: 42 },
      )
    })
  })
}

const ID_FIELD = { type: 'integer', primaryKey: true }

const RICH: readonly [Resources, Resources] = [
  {
    Author: { object: { id: ID_FIELD, name: { type: 'string', unique: true }, note: 'text' } },
    Post: {
      object: { id: ID_FIELD, title: 'string', authorId: 'integer', old: 'string' },
      relationships: { author: { type: 'belongsTo', target: 'Author', onDelete: 'cascade' } },
    },
    Gone: { object: { id: ID_FIELD } },
  },
  {
    Writer: {
      renamedFrom: 'Author',
      object: {
        id: ID_FIELD,
        fullName: { type: 'string', unique: true, renamedFrom: 'name' },
        note: 'string',
      },
    },
    Post: {
      object: {
        id: ID_FIELD,
        title: 'integer',
        authorId: 'integer',
        state: { type: 'string', default: 'new' },
      },
      relationships: { author: { type: 'belongsTo', target: 'Writer', onDelete: 'restrict' } },
      indexes: [{ fields: ['state', 'title'] }],
    },
  },
]

const FLAGS = { unique: fc.boolean(), required: fc.boolean() }
const FIELD = fc.oneof(
  fc.record(
    { type: fc.constantFrom('integer', 'decimal', 'boolean', 'date', 'json', 'email'), ...FLAGS },
    { requiredKeys: ['type'] },
  ),
  // An index holds short texts otherwise than long ones.
  fc.record(
    { type: fc.constant('string'), maxLength: fc.constantFrom(20, 200), ...FLAGS },
    { requiredKeys: ['type'] },
  ),
)

/** Small definitions that overlap: the same few names for resources, fields and relationships. */
const RESOURCES: fc.Arbitrary<Resources> = fc
  .dictionary(
    fc.constantFrom('Alpha', 'Beta', 'Gamma'),
    fc.record({
      fields: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), FIELD, { maxKeys: 4 }),
      link: fc.constantFrom('none', 'cascade', 'restrict', 'nullify'),
      many: fc.boolean(),
      search: fc.boolean(),
      formerly: fc.option(fc.constantFrom('a', 'b')),
    }),
    { minKeys: 1 },
  )
  .map((drawn) => {
    const names = Object.keys(drawn)
    return Object.fromEntries(
      Object.entries(drawn).map(([name, { fields, link, many, search, formerly }], at) => [
        name,
        {
          object: {
            id: ID_FIELD,
            ...fields,
            ...(formerly !== null && { e: { type: 'string', renamedFrom: formerly } }),
          },
          features: { search },
          relationships: {
            next: { type: 'belongsTo', target: names[(at + 1) % names.length], onDelete: link },
            ...(many && { all: { type: 'belongsToMany', target: names[0], otherKey: 'otherId' } }),
          },
        },
      ]),
    )
  })
