import { column, type Table, type Transaction } from '@svc/store/contract'

const name = column('name', 'text')

/** Rows that stand for turns: whoever holds one keeps others from what it is about. */
export const TURNS: Table = {
  name: 'svc_turns',
  columns: [name],
  primaryKey: [name],
  indexes: [],
  foreignKeys: [],
}

/**
 * Waits until nobody else writes what formulas of a domain find in other records, or, `shared`, looks there while that is
 * written: of two that know nothing of each other yet, the one would look before the other is done, and the other would not
 * find it. To be taken before any record is held.
 */
export async function takeTurn(
  domain: string,
  lock: true | 'shared',
  transaction: Transaction,
): Promise<void> {
  const where = { op: 'eq', column: name, value: domain } as const
  const hold = () => transaction.select({ table: TURNS, columns: [name], where, order: [], lock })
  if ((await hold()).length > 0) return
  await transaction.insert({ table: TURNS, values: { name: domain }, onConflict: 'ignore' })
  await hold()
}
