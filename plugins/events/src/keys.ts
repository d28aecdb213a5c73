import { createHash } from 'node:crypto'
import type { Condition, Row, Transaction, Value } from '@svc/store/contract'
import type { Place } from './place.ts'
import type { Having, RecordEvent } from './record-event.ts'
import { isBetween } from './order.ts'
import { placeIn } from './rows.ts'
import { KEY, POSITION, type Tables } from './tables.ts'

/** Fields by the names of their resources. */
export type KeyFields = ReadonlyMap<string, ReadonlySet<string>>

/** A value as it stands in an index. Values stay what they are only in the record: what stands beside it says nothing of them. */
export const digestOf = (value: Value): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url')

const keyOf = (resource: string, field: string, value: Value): string =>
  `${resource} ${field} ${digestOf(value)}`

const FIRST = 'key '
/** The name of the position behind which a reader's events are found by a field. */
const nameOf = (reader: string, resource: string, field: string): string =>
  `${FIRST}${reader} ${resource} ${field}`

/** Makes events that a reader takes, which begin behind a place, findable by the fields that it asks by. */
export async function index(
  tables: Tables,
  reader: string,
  { fields, events, behind }: { fields: KeyFields; events: readonly RecordEvent[]; behind: Place },
  transaction: Transaction,
): Promise<void> {
  await noteFields(tables, reader, fields, behind, transaction)
  const rows = events.flatMap(({ resource, record, place }) =>
    [...(fields.get(resource) ?? [])].map((field) => ({
      key: keyOf(resource, field, record[field] ?? null),
      ...place,
    })),
  )
  if (rows.length > 0) await transaction.insertRows({ table: tables.keys, rows, onConflict: 'ignore' })
}

/** Writes down from where on events are found by which fields: of a field that is asked by no more they are not any longer. */
async function noteFields(
  { positions: table }: Tables,
  reader: string,
  fields: KeyFields,
  behind: Place,
  transaction: Transaction,
): Promise<void> {
  const asked = new Set(
    [...fields].flatMap(([resource, all]) => [...all].map((field) => nameOf(reader, resource, field))),
  )
  const own: Condition = { op: 'gte', column: POSITION.reader, value: `${FIRST}${reader} ` }
  const end: Condition = { op: 'lt', column: POSITION.reader, value: `${FIRST}${reader}!` }
  const rows = await transaction.select({
    table,
    columns: [POSITION.reader],
    where: { op: 'and', of: [own, end] },
    order: [],
  })
  const known = new Set(rows.map((row) => String(row['reader'])))
  const gone = [...known].filter((name) => !asked.has(name))
  if (gone.length > 0)
    await transaction.remove({ table, where: { op: 'in', column: POSITION.reader, values: gone } })
  const fresh = [...asked].filter((name) => !known.has(name)).map((name) => ({ reader: name, ...behind }))
  if (fresh.length > 0) await transaction.insertRows({ table, rows: fresh, onConflict: 'ignore' })
}

/** The place behind which events are found by a field; undefined where none are. */
export async function foundBehind(
  { positions: table }: Tables,
  { reader, resource, field }: Having,
  transaction: Transaction,
): Promise<Place | undefined> {
  const [row] = await transaction.select({
    table,
    columns: [POSITION.batch, POSITION.number],
    where: { op: 'eq', column: POSITION.reader, value: nameOf(reader, resource, field) },
    order: [],
  })
  return row && placeIn(row)
}

/** The next places of events that are found by a value, behind a place and up to another. */
export async function placesOf(
  { keys: table }: Tables,
  { resource, field, value }: Having,
  { after, upTo, limit }: { readonly after: Place; readonly upTo: Place; readonly limit: number },
  transaction: Transaction,
): Promise<readonly Place[]> {
  const own: Condition = { op: 'eq', column: KEY.key, value: keyOf(resource, field, value) }
  const rows: readonly Row[] = await transaction.select({
    table,
    columns: [KEY.batch, KEY.number],
    where: { op: 'and', of: [own, isBetween(after, upTo, KEY)] },
    order: [KEY.batch, KEY.number].map((column) => ({ column, descending: false })),
    limit,
  })
  return rows.map(placeIn)
}

/** Whether an event's record has the value. */
export const hasValue = ({ record }: RecordEvent, { field, value }: Having): boolean =>
  JSON.stringify(record[field] ?? null) === JSON.stringify(value)
