import { comparePlaces, type Place } from '@svc/events/contract'
import type { Condition, Table, Transaction } from '@svc/store/contract'
import { LINE, lineTable } from '../tables/lines.ts'
import { type Ear, placeOfRow } from './candidates.ts'
import { FIRST_MARK, heardUpTo, markIn, placeIn } from './heard.ts'
import { ASKING, FOUND } from './tables.ts'

/** How many lines are looked at whose mark may have its place by now. */
const MARKED = 500

/**
 * The first place that a line may still ask for: what one has heard that does not rest, and what was found for those that
 * do.
 */
export async function needed(ear: Ear, transaction: Transaction): Promise<Place | undefined> {
  const { found, asking } = ear.tables
  const table = lineTable(ear.model)
  await placeMarks(ear, table, transaction)
  const heard = await transaction.select({
    table,
    columns: [LINE.heard],
    where: {
      op: 'and',
      of: [
        { op: 'not', of: { op: 'null', column: LINE.heard } },
        { op: 'lt', column: LINE.heard, value: FIRST_MARK },
      ],
    },
    order: [{ column: LINE.heard, descending: false }],
    limit: 1,
  })
  const places = [
    ...heard.map((row) => placeIn(String(row['heard']))),
    ...(await first(found, FOUND, transaction)),
    ...(await first(asking, ASKING, transaction)),
  ]
  return places.toSorted(comparePlaces)[0]
}

/** A line that was begun while its mark got a place has the mark still. */
async function placeMarks(ear: Ear, table: Table, transaction: Transaction): Promise<void> {
  const last = await ear.ledger.hold(transaction)
  const rows = await transaction.select({
    table,
    columns: [LINE.heard],
    where: { op: 'gte', column: LINE.heard, value: FIRST_MARK },
    order: [{ column: LINE.heard, descending: false }],
    limit: MARKED,
  })
  for (const heard of new Set(rows.map((row) => String(row['heard'])))) {
    const mark = markIn(heard)
    const place = mark === undefined ? undefined : await ear.ledger.placeOf(transaction, mark)
    if (place === undefined || place.batch > last) continue
    const where: Condition = { op: 'eq', column: LINE.heard, value: heard }
    await transaction.update({ table, set: { heard: heardUpTo(place) }, where })
  }
}

async function first(
  table: Table,
  { batch, number }: Pick<typeof FOUND, 'batch' | 'number'>,
  transaction: Transaction,
): Promise<readonly Place[]> {
  const order = [batch, number].map((column) => ({ column, descending: false }))
  const rows = await transaction.select({
    table,
    columns: [batch, number],
    where: { op: 'always' },
    order,
    limit: 1,
  })
  return rows.map(placeOfRow)
}
