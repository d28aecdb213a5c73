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

/** What a turn is about: `values` that formulas find in other records, or `formulas` that records have. */
export interface Turn {
  readonly domain: string
  readonly of: 'values' | 'formulas'
  /** Against all others, or, `shared`, against those alone that are against all others. */
  readonly lock: true | 'shared'
}

/**
 * Waits for a turn. Values are written against all others, and looked at together: of two that know nothing of each other yet, the
 * one would look before the other is done, and the other would not find it. In the same way formulas of records are given, and
 * taken into account. Both are to be taken before any record is held, those of formulas first.
 */
export async function takeTurn({ domain, of, lock }: Turn, transaction: Transaction): Promise<void> {
  const value = `${domain} ${of}`
  const where = { op: 'eq', column: name, value } as const
  const hold = () => transaction.select({ table: TURNS, columns: [name], where, order: [], lock })
  if ((await hold()).length > 0) return
  await transaction.insert({ table: TURNS, values: { name: value }, onConflict: 'ignore' })
  await hold()
}
