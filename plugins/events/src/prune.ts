import type { Data } from '@svc/domain/contract'
import { SYSTEM } from '@svc/kernel'
import type { Condition, Transaction } from '@svc/store/contract'
import { comparePlaces, type EventReader, type Place } from './contract.ts'
import type { Ledger } from './ledger.ts'
import { isAfter } from './order.ts'
import { positionOf } from './positions.ts'
import { EVENT } from './tables.ts'

/** How many rows go in one transaction. */
const CHUNK = 500

/** Takes away events that every reader has taken and none needs any more, a part at a time. */
export async function prune(
  ledger: Ledger,
  readers: Iterable<EventReader>,
  { write, reader: store }: Data,
): Promise<void> {
  const { events: table } = ledger.tables
  const all = [...readers]
  const oldest = await write({ caller: SYSTEM }, (transaction) => needed(ledger, all, transaction))
  if (oldest === undefined) return
  const where: Condition = {
    op: 'and',
    of: [
      { op: 'not', of: { op: 'null', column: EVENT.batch } },
      { op: 'not', of: isAfter({ ...oldest, number: oldest.number - 1 }, EVENT) },
    ],
  }
  for (;;) {
    const rows = await store.select({ table, columns: [EVENT.number], where, order: [], limit: CHUNK })
    if (rows.length === 0) return
    const values = rows.map(({ number }) => Number(number))
    await write({ caller: SYSTEM }, (transaction) =>
      transaction.remove({ table, where: { op: 'in', column: EVENT.number, values } }),
    )
  }
}

/** The first place that somebody may still ask for. */
async function needed(
  ledger: Ledger,
  readers: readonly EventReader[],
  transaction: Transaction,
): Promise<Place | undefined> {
  let oldest: Place | undefined
  const keep = (place: Place | undefined) => {
    if (place && (oldest === undefined || comparePlaces(place, oldest) < 0)) oldest = place
  }
  for (const reader of readers) {
    keep(await positionOf(ledger.tables, reader.name, transaction, true))
    keep(await reader.done?.(ledger.model, transaction))
  }
  return oldest
}
