import type { Column, Condition, Store, Table } from '@svc/store/contract'

const DAY_MS = 86_400_000
/** Entries that one transaction removes, about: other writers wait for it. */
const SLICE = 500

/** What of a ledger is over, and when it ended. */
export interface Retained {
  readonly table: Table
  /** When an entry ended: null as long as it has not. An index begins with it, or few rows have it. */
  readonly endedAt: Column
  /** For how many days entries are kept after that; undefined: for good. */
  readonly days: number | undefined
  /** What else has to hold of an entry that goes. */
  readonly where?: Condition
}

/**
 * Removes entries of what was over before their days ran out, a slice at a time; answers how many. `now` is in milliseconds
 * since 1970. Several servers may do so at once: each entry goes once.
 */
export async function sweepLedger(retained: Retained, store: Store, now: number): Promise<number> {
  const { table, endedAt, days, where } = retained
  if (days === undefined) return 0
  const until: Condition = {
    op: 'lt',
    column: endedAt,
    value: new Date(now - days * DAY_MS).toISOString(),
  }
  const outdated = allOf(until, where)
  for (let removed = 0; ;) {
    const [last] = await store.select({
      table,
      columns: [endedAt],
      where: outdated,
      order: [{ column: endedAt, descending: false }],
      offset: SLICE - 1,
      limit: 1,
    })
    const bound = last?.[endedAt.name] ?? null
    const slice = bound === null ? outdated : allOf({ op: 'lte', column: endedAt, value: bound }, where)
    removed += await store.transaction((transaction) => transaction.remove({ table, where: slice }))
    if (bound === null) return removed
  }
}

const allOf = (one: Condition, other: Condition | undefined): Condition =>
  other === undefined ? one : { op: 'and', of: [one, other] }
