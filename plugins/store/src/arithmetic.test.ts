import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startStore, STORES } from '../../../test/kit/stores.ts'
import { ARITHMETIC } from './arithmetic.ts'
import { type Column, exactSum, type Scalar, type Store, type Table } from './contract.ts'

const { add, subtract, multiply, divide, remainder } = ARITHMETIC

/** A number of so many units of a power of ten, as its digits are read. */
const decimal = (units: number, places: number): number => Number(`${units}e-${places}`)

/** Amounts as people write them, with the whole number of units that they are and the digits after the point. */
const amount = fc
  .record({
    units: fc.integer({ min: -99_999_999, max: 99_999_999 }),
    places: fc.integer({ min: 0, max: 4 }),
  })
  .map((one) => ({ ...one, value: decimal(one.units, one.places) }))

describe('arithmetic', () => {
  it('is that of the digits', () => {
    expect([add(0.1, 0.2), subtract(0.3, 0.1), multiply(1.1, 3), divide(0.3, 0.1)]).toEqual([
      0.3, 0.2, 3.3, 3,
    ])
    expect([multiply(0.07, 100), remainder(5.5, 0.1), multiply(4.35, 100)]).toEqual([7, 0, 435])
  })

  it('of amounts is exact to the last digit', () => {
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        expect(add(a.value, b.value)).toBe(exactSum([a.value, b.value]))
        expect(subtract(a.value, b.value) + 0).toBe(exactSum([a.value, -b.value]))
        const product = BigInt(a.units) * BigInt(b.units)
        fc.pre(Math.abs(Number(product)) < 2 ** 53)
        expect(multiply(a.value, b.value) + 0).toBe(Number(`${product}e-${a.places + b.places}`) + 0)
        fc.pre(b.value !== 0)
        const isShort = Math.abs(Number(product)) < 1e15 && Math.abs(b.units) * 10 ** a.places < 1e15
        if (isShort) expect(divide(multiply(a.value, b.value), b.value) + 0).toBe(a.value + 0)
        const unit = Math.max(a.places, b.places)
        const [one, other] = [a, b].map(({ units, places }) => BigInt(units) * 10n ** BigInt(unit - places))
        expect(remainder(a.value, b.value) + 0).toBe(Number(`${one! % other!}e-${unit}`) + 0)
      }),
      { seed: 1, numRuns: 2000 },
    )
  })

  it('of numbers with more digits than people write is that of doubles', () => {
    for (const [a, b] of [
      [1 / 3, 0.1],
      [0.1, 1e-300],
      [1e15, 0.3],
      [Math.PI, Math.E],
    ] as const) {
      expect(add(a, b)).toBe(a + b)
      expect(subtract(a, b)).toBe(a - b)
      expect(divide(a, b)).toBe(a / b)
    }
    expect(multiply(Math.PI, 0.1)).toBe(Math.PI * 0.1)
    expect(multiply(1 / 3, 3)).toBe(1)
  })
})

const id: Column = { name: 'id', kind: 'integer', nullable: false }
const ONE: Table = { name: 'one', columns: [id], primaryKey: [id], indexes: [], foreignKeys: [] }
const FUNCTIONS = ['add', 'subtract', 'multiply', 'divide'] as const

/** Numbers of every kind: amounts, whole ones, such with all the digits that doubles have, and those at their ends. */
const number = fc.oneof(
  { weight: 4, arbitrary: amount.map(({ value }) => value) },
  fc.integer({ min: -1000, max: 1000 }),
  fc
    .record({ units: fc.maxSafeInteger(), places: fc.integer({ min: 0, max: 24 }) })
    .map(({ units, places }) => decimal(units, places)),
  fc.constantFrom(1e15, 999_999_999_999_999, 0.000_000_1, 1e-15, 1e-16, 1e21, 1e300, 5e-324, 2 ** 53),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0),
)

for (const under of STORES) {
  describe(`arithmetic on the ${under.name} store`, () => {
    let store: Store
    let stop: () => Promise<void>
    beforeAll(async () => {
      ;({ store, stop } = await startStore(under))
      await store.ensure([ONE])
      await store.transaction((tx) => tx.insert({ table: ONE, values: { id: 1 } }))
    })
    afterAll(() => stop())

    it('is the same', async () => {
      const pairs = fc.sample(fc.tuple(number, number), { numRuns: 600, seed: 7 })
      for (let from = 0; from < pairs.length; from += 20) {
        const asked = pairs.slice(from, from + 20).flatMap((of) => FUNCTIONS.map((name) => ({ name, of })))
        const worked = asked.map(({ name, of }, at) => ({
          column: { name: `~${at}`, kind: 'float', nullable: true } as const,
          scalar: {
            op: 'call',
            name,
            of: of.map((value): Scalar => ({ op: 'value', type: 'number', value })),
          } as const,
        }))
        const plan = { table: ONE, columns: [id], worked, where: { op: 'always' }, order: [] } as const
        const [row = {}] = await store.select(plan)
        for (const [at, { name, of }] of asked.entries()) {
          const wanted = ARITHMETIC[name](...of)
          const told = Number.isFinite(wanted) ? wanted + 0 : null
          const given = row[`~${at}`] ?? null
          expect([name, ...of, given === null ? null : Number(given) + 0]).toEqual([name, ...of, told])
        }
      }
    })
  })
}
