import { column, type Table } from '@svc/store/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startStore, STORES } from '../../../test/kit/stores.ts'
import { isAfter, isBetween } from './order.ts'
import { BEGINNING, comparePlaces, ONE_BATCH, type Place } from './place.ts'

const PLACE = { batch: column('batch', 'integer', true), number: column('number', 'integer') } as const
const TABLE: Table = {
  name: 'places',
  columns: [PLACE.number, PLACE.batch],
  primaryKey: [PLACE.number],
  indexes: [{ name: 'places_batch_idx', columns: [PLACE.batch, PLACE.number], unique: false }],
  foreignKeys: [],
}
/** In batches that were made up, in the one of an ordered store, and in none yet. */
const ROWS = Array.from({ length: 40 }, (_, at) => ({
  number: at + 1,
  batch: at < 12 ? 1 + (at % 3) : at % 9 === 0 ? null : ONE_BATCH,
}))
const PLACES = ROWS.filter((row): row is Place => row.batch !== null).toSorted(comparePlaces)
const place: fc.Arbitrary<Place> = fc.record({
  batch: fc.constantFrom(0, 1, 2, 3, ONE_BATCH),
  number: fc.integer({ min: -1, max: 42 }),
})

describe.each(STORES)('places on $name', (store) => {
  let started: Awaited<ReturnType<typeof startStore>>
  beforeAll(async () => {
    started = await startStore(store)
    await started.store.ensure([TABLE])
    await started.store.transaction((transaction) => transaction.insertRows({ table: TABLE, rows: ROWS }))
  })
  afterAll(() => started?.stop())

  const read = async (where: ReturnType<typeof isAfter>) => {
    const order = [PLACE.batch, PLACE.number].map((one) => ({ column: one, descending: false }))
    const rows = await started.store.select({ table: TABLE, columns: TABLE.columns, where, order })
    return rows.map(({ batch, number }) => ({ batch, number }))
  }

  it('behind one, and up to another, are those that the order of places has there', async () => {
    await fc.assert(
      fc.asyncProperty(place, place, async (after, upTo) => {
        const behind = PLACES.filter((one) => comparePlaces(one, after) > 0).map(toPlain)
        expect(await read(isAfter(after, PLACE))).toEqual(behind)
        const between = behind.filter((one) => comparePlaces(one, upTo) <= 0)
        expect(await read(isBetween(after, upTo, PLACE))).toEqual(between)
      }),
      { numRuns: 150, seed: 5 },
    )
    expect(await read(isAfter(BEGINNING, PLACE))).toHaveLength(PLACES.length)
  })
})

const toPlain = ({ batch, number }: Place) => ({ batch, number })
