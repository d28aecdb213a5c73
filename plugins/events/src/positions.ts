import type { Condition, Reader, Transaction } from '@svc/store/contract'
import { BEGINNING, type Place } from './contract.ts'
import { placeIn } from './rows.ts'
import { POSITION, type Tables } from './tables.ts'

const of = (reader: string): Condition => ({ op: 'eq', column: POSITION.reader, value: reader })

/** A position. Inside a transaction it may be held against all who would move it, or `shared` with others who hold it so. */
export async function positionOf(
  tables: Tables,
  reader: string,
  store: Reader | Transaction,
  lock?: true | 'shared',
): Promise<Place> {
  const plan = {
    table: tables.positions,
    columns: [POSITION.batch, POSITION.number],
    where: of(reader),
    order: [],
  }
  const [found] = await store.select({ ...plan, ...(lock && { lock }) })
  if (found !== undefined) return placeIn(found)
  if (lock === undefined || !('insert' in store)) return BEGINNING
  // Whoever comes second finds the row of the first, once that is committed.
  await store.insert({
    table: tables.positions,
    values: { reader, ...BEGINNING },
    onConflict: 'ignore',
  })
  return positionOf(tables, reader, store, lock)
}

export async function movePosition(
  { positions: table }: Tables,
  reader: string,
  place: Place,
  transaction: Transaction,
): Promise<void> {
  await transaction.update({ table, set: { ...place }, where: of(reader) })
}
