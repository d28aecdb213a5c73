import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startStore, STORES } from '../../../test/kit/stores.ts'
import {
  type Column,
  type ColumnKind,
  exactSum,
  type Fold,
  holds,
  type Related,
  type Scalar,
  type Store,
  type Table,
} from './contract.ts'

const column = (name: string, kind: ColumnKind, nullable = true): Column => ({ name, kind, nullable })
const table = (name: string, columns: readonly Column[], ...indexed: readonly Column[]): Table => ({
  name,
  columns,
  primaryKey: columns.slice(0, 1),
  indexes: indexed.map((one) => ({ name: `${name}_${one.name}`, columns: [one], unique: false })),
  foreignKeys: [],
})
const [houseId, keeper] = [column('id', 'integer', false), column('keeper', 'text')]
const HOUSE = table('house', [houseId, keeper], keeper)
const [petId, home, name, age] = [
  column('id', 'integer', false),
  column('house', 'integer'),
  column('name', 'text'),
  column('age', 'decimal'),
]
const PET = table('pet', [petId, home, name, age], home)
const [visitId, pet] = [column('id', 'integer', false), column('pet', 'integer')]
const VISIT = table('visit', [visitId, pet], pet)

const of = (one: Column): Scalar => ({ op: 'column', column: one })
const value = (one: string | number): Scalar => ({
  op: 'value',
  type: typeof one === 'string' ? 'text' : 'number',
  value: one,
})
const ALL = { op: 'always' } as const
const housePets: Related = { table: PET, on: [home, houseId], where: ALL }
const visitPet: Related = { table: PET, on: [petId, pet], where: ALL }
const petHouse: Related = { table: HOUSE, on: [houseId, home], where: ALL }
const lookup = (related: Related, one: Scalar): Scalar => ({ op: 'lookup', related, of: one, order: [] })
const fold = (by: Fold, one: Scalar): Scalar => ({ op: 'fold', by, related: housePets, of: one })
const compare = (left: Scalar, by: 'eq' | 'same' | 'lt' | 'gt', right: Scalar): Scalar => ({
  op: 'compare',
  by,
  left,
  right,
})
const not = (scalar: Scalar): Scalar => ({ op: 'not', of: scalar })

const keeperOfVisit = lookup(visitPet, lookup(petHouse, of(keeper)))

describe.each(STORES)('related rows of the $name store', (under) => {
  let store: Store
  let stop: () => Promise<void>
  beforeAll(async () => {
    ;({ store, stop } = await startStore(under))
    await store.ensure([HOUSE, PET, VISIT])
    await store.transaction(async (tx) => {
      for (const [id, who] of [
        [1, 'ann'],
        [2, 'bob'],
        [3, null],
        [4, 'ann'],
      ])
        await tx.insert({ table: HOUSE, values: { id: id!, keeper: who ?? null } })
      for (const [id, house, called, years] of [
        [1, 1, 'rex', 0.1],
        [2, 1, 'Bo', 0.2],
        [3, 2, null, null],
        [4, 3, 'rex', 1e300],
        [5, null, 'zoe', 3],
        [6, 3, 'ada', 1.7e308],
        [7, 3, 'ada', 1.7e308],
      ] as const)
        await tx.insert({ table: PET, values: { id, house, name: called, age: years } })
      for (const [id, whose] of [
        [1, 1],
        [2, 3],
        [3, 4],
        [4, 5],
        [5, null],
        [6, 99],
      ] as const)
        await tx.insert({ table: VISIT, values: { id, pet: whose } })
    })
  })
  afterAll(() => stop())

  const picked = async (from: Table, scalar: Scalar): Promise<readonly unknown[]> => {
    const key = from.primaryKey[0]!
    const select = (where: Parameters<Store['select']>[0]['where']) =>
      store.select({ table: from, columns: [key], where, order: [{ column: key, descending: false }] })
    const [simple, whole] = [await select(holds(scalar)), await select({ op: 'holds', scalar })]
    expect(simple).toEqual(whole)
    return simple.map((row) => row['id'])
  }

  it.each<[string, Scalar, readonly number[]]>([
    ['is', compare(keeperOfVisit, 'eq', value('ann')), [1]],
    ['is, where null is a value', compare(keeperOfVisit, 'same', value('ann')), [1]],
    ['is not', not(compare(keeperOfVisit, 'same', value('ann'))), [2, 3, 4, 5, 6]],
    ['differs', not(compare(keeperOfVisit, 'eq', value('ann'))), [2]],
    ['is not there', { op: 'null', of: keeperOfVisit }, [3, 4, 5, 6]],
    ['is there', not({ op: 'null', of: keeperOfVisit }), [1, 2]],
    ['is among', { op: 'in', of: keeperOfVisit, type: 'text', values: ['ann', 'bob'] }, [1, 2]],
    ['is not among', not({ op: 'in', of: keeperOfVisit, type: 'text', values: ['ann'] }), [2]],
    ['is like', { op: 'like', of: keeperOfVisit, pattern: 'A%' }, [1]],
    ['is above', compare(value('b'), 'lt', keeperOfVisit), [2]],
    [
      'is, beside another',
      { op: 'or', of: [compare(keeperOfVisit, 'eq', value('ann')), compare(of(visitId), 'eq', value(6))] },
      [1, 6],
    ],
  ])('a value through two tables %s', async (_, scalar, ids) => {
    expect(await picked(VISIT, scalar)).toEqual(ids)
  })

  it.each<[string, Scalar, readonly number[]]>([
    ['a count', compare(fold('count', of(name)), 'eq', value(2)), [1]],
    ['a count above none', compare(fold('count', of(name)), 'gt', value(0)), [1, 3]],
    ['a count of none', compare(fold('count', of(petId)), 'same', value(0)), [4]],
    ['an exact sum', compare(fold('sum', of(age)), 'eq', value(0.3)), [1]],
    ['the sum of nothing', compare(fold('sum', of(age)), 'eq', value(0)), [2, 4]],
    ['a sum past all doubles', { op: 'null', of: fold('sum', of(age)) }, [3]],
    ['the least by code point', compare(fold('min', of(name)), 'eq', value('Bo')), [1]],
    ['the greatest', compare(fold('max', of(age)), 'eq', value(0.2)), [1]],
    ['the greatest of none', { op: 'null', of: fold('max', of(age)) }, [2, 4]],
    ['that there is one', { op: 'some', related: housePets }, [1, 2, 3]],
    [
      'a sum of products',
      compare(
        fold('sum', {
          op: 'call',
          name: 'multiply',
          of: [of(age), { op: 'lookup', related: petHouse, of: of(houseId), order: [] }],
        }),
        'eq',
        value(0.3),
      ),
      [1],
    ],
    [
      'the first in an order',
      compare(
        {
          op: 'lookup',
          related: housePets,
          of: of(age),
          order: [
            { by: of(name), descending: false },
            { by: of(petId), descending: true },
          ],
        },
        'eq',
        value(1.7e308),
      ),
      [3],
    ],
  ])('%s', async (_, scalar, ids) => {
    expect(await picked(HOUSE, scalar)).toEqual(ids)
  })
})

describe('an exact sum', () => {
  it.each<[readonly number[], number | null]>([
    [[], 0],
    [[0.1, 0.2], 0.3],
    [[1e300, 1, -1e300], 1],
    [[5e-324, 5e-324], 1e-323],
    [[2 ** 53, 1, 1], 2 ** 53 + 2],
    [[1.7e308, 1.7e308], null],
    [[-0.000001, 0.000001], 0],
  ])('of %j is %s', (numbers, sum) => expect(exactSum(numbers)).toBe(sum))
})
