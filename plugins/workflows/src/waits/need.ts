import { comparePlaces, type Place } from '@svc/events/contract'
import type { Condition, Table, Transaction } from '@svc/store/contract'
import { INSTANCE, instanceTable } from '../tables/instances.ts'
import { LINE, lineTable } from '../tables/lines.ts'
import { type Ear, placeOfRow } from './candidates.ts'
import { FIRST_MARK, heardUpTo, markIn, placeIn } from './heard.ts'
import { ASKING, FOUND } from './tables.ts'
import type { HearingText } from './wait.ts'

/** How many lines are looked at at once whose mark may have its place by now. */
const MARKED = 500

/**
 * The first places that lines may still ask for: what they have heard that do not rest, of the resources that their texts
 * wait for, and what was found for those that do.
 */
export async function needsOf(ear: Ear, transaction: Transaction): Promise<ReadonlyMap<string, Place>> {
  const { found, asking } = ear.tables
  const needs = new Map<string, Place>()
  const need = (resource: string, place: Place) => {
    const known = needs.get(resource)
    if (known === undefined || comparePlaces(place, known) < 0) needs.set(resource, place)
  }
  await placeMarks(ear, transaction)
  for (const text of await ear.lines.hearing(transaction)) {
    const place = await heardBy(ear, text, transaction)
    if (place !== undefined) for (const resource of text.resources) need(resource, place)
  }
  const open = [...(await first(found, FOUND, transaction)), ...(await first(asking, ASKING, transaction))]
  const heard = await ear.lines.awaited(transaction)
  for (const place of open) for (const { trigger } of heard) need(trigger.resource.name, place)
  return needs
}

/** How far the line of a text has heard that has heard least. One that failed may be set going again, and counts. */
async function heardBy(
  { model }: Ear,
  { workflow, version }: HearingText,
  transaction: Transaction,
): Promise<Place | undefined> {
  const own: Condition = {
    op: 'and',
    of: [
      { op: 'eq', column: INSTANCE.workflow, value: workflow },
      { op: 'eq', column: INSTANCE.version, value: version },
    ],
  }
  const [row] = await transaction.select({
    table: lineTable(model),
    columns: [LINE.heard],
    where: {
      op: 'and',
      of: [
        { op: 'not', of: { op: 'null', column: LINE.heard } },
        { op: 'lt', column: LINE.heard, value: FIRST_MARK },
        { op: 'exists', table: instanceTable(model), on: [[INSTANCE.id, LINE.instance]], where: own },
      ],
    },
    order: [{ column: LINE.heard, descending: false }],
    limit: 1,
  })
  return row && placeIn(String(row['heard']))
}

/** A line that was begun while its mark got a place has the mark still. */
async function placeMarks(ear: Ear, transaction: Transaction): Promise<void> {
  const table = lineTable(ear.model)
  const end = await ear.ledger.hold(transaction)
  for (let after = FIRST_MARK; ;) {
    const rows = await transaction.select({
      table,
      columns: [LINE.heard],
      where: { op: 'gt', column: LINE.heard, value: after },
      order: [{ column: LINE.heard, descending: false }],
      limit: MARKED,
    })
    for (const heard of new Set(rows.map((row) => String(row['heard'])))) {
      const mark = markIn(heard)
      const place = mark === undefined ? undefined : await ear.ledger.placeOf(transaction, mark)
      if (place === undefined || comparePlaces(place, end) > 0) continue
      const where: Condition = { op: 'eq', column: LINE.heard, value: heard }
      await transaction.update({ table, set: { heard: heardUpTo(place) }, where })
    }
    if (rows.length < MARKED) return
    after = String(rows.at(-1)?.['heard'])
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
