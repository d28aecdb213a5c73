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

/** What turns are about, and how they are held. */
export interface Turn {
  /** Each in its own row. */
  readonly names: readonly string[]
  /** Against all others, or, `shared`, against those alone that are against all others. */
  readonly lock: true | 'shared'
}

/** The formulas that records of a domain have: they are given against all writes, and taken into account together. */
export const ofFormulas = (domain: string): string => `${domain} formulas`

/** What formulas find in records of a resource: it is written against all that look, and looked at together. */
export const ofValues = (domain: string, resource: string): string => `${domain} values ${resource}`

/**
 * Waits for turns, of several in the order of their names. Of two that know nothing of each other yet, the one would look before the other is
 * done, and the other would not find it. Turns are to be taken before any record is held, those of formulas first.
 */
export async function takeTurn({ names, lock }: Turn, transaction: Transaction): Promise<void> {
  if (names.length === 0) return
  const where = { op: 'in', column: name, values: names } as const
  const order = [{ column: name, descending: false }]
  const hold = () => transaction.select({ table: TURNS, columns: [name], where, order, lock })
  const held = new Set((await hold()).map((row) => row[name.name]))
  const rows = names.filter((one) => !held.has(one)).map((one) => ({ name: one }))
  if (rows.length === 0) return
  await transaction.insertRows({ table: TURNS, rows, onConflict: 'ignore' })
  await hold()
}
