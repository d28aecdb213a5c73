import type { Data, Model } from '@svc/domain/contract'
import { SYSTEM } from '@svc/kernel'
import type { Condition, Transaction } from '@svc/store/contract'
import { comparePlaces, type EventReader, type Place } from './contract.ts'
import { isAfter } from './order.ts'
import { positionOf } from './positions.ts'
import { EVENT, type Tables } from './tables.ts'

/** How many rows go in one transaction. */
const CHUNK = 500

/** Whose events they are, and where they stand. */
interface Pruned {
  readonly model: Model
  readonly tables: Tables
}

/**
 * Takes away events that every reader has taken and none needs any more, as far as they are older than a moment, a part at a
 * time.
 */
export async function prune(
  pruned: Pruned,
  readers: Iterable<EventReader>,
  { write, reader: store }: Data,
  until: string,
): Promise<void> {
  const { events: table } = pruned.tables
  const all = [...readers]
  const needs = await write({ caller: SYSTEM }, (transaction) => needsOf(pruned, all, transaction))
  const { taken, of } = needs
  const where: Condition = {
    op: 'and',
    of: [
      { op: 'not', of: { op: 'null', column: EVENT.batch } },
      { op: 'lte', column: EVENT.at, value: until },
      ...(taken ? [before(taken)] : []),
      ...[...of].map(([resource, place]): Condition => ({
        op: 'or',
        of: [{ op: 'ne', column: EVENT.resource, value: resource }, before(place)],
      })),
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

const before = (place: Place): Condition => ({
  op: 'not',
  of: isAfter({ ...place, number: place.number - 1 }, EVENT),
})

interface Needs {
  /** Up to here every reader has taken everything; undefined where there is none. */
  readonly taken: Place | undefined
  /** The first places that somebody may still ask for, by resource. */
  readonly of: ReadonlyMap<string, Place>
}

/** What readers need. */
async function needsOf(
  { model, tables }: Pruned,
  readers: readonly EventReader[],
  transaction: Transaction,
): Promise<Needs> {
  let taken: Place | undefined
  const of = new Map<string, Place>()
  for (const reader of readers) {
    taken = earlier(taken, await positionOf(tables, reader.name, transaction, true))
    for (const [resource, place] of (await reader.needs?.(model, transaction)) ?? [])
      of.set(resource, earlier(of.get(resource), place))
  }
  return { taken, of }
}

const earlier = (a: Place | undefined, b: Place): Place => (a && comparePlaces(a, b) < 0 ? a : b)
