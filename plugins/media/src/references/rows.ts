import type { Condition, Row, Transaction } from '@svc/store/contract'
import { itemsOf } from '../library/find.ts'
import { REFERENCE, references } from '../tables.ts'

/** The ids that a field of a record refers to. */
export interface Referring {
  readonly resource: string
  /** The key of the record, as text. */
  readonly recordId: string
  readonly field: string
  readonly ids: readonly string[]
}

const eq = (column: (typeof REFERENCE)[keyof typeof REFERENCE], value: string): Condition => ({
  op: 'eq',
  column,
  value,
})

/** The references of a resource, and of some of its records where these are named. */
export const ofResource = (domain: string, resource: string, recordIds?: readonly string[]): Condition => ({
  op: 'and',
  of: [
    eq(REFERENCE.domain, domain),
    eq(REFERENCE.resource, resource),
    ...(recordIds === undefined
      ? []
      : [{ op: 'in', column: REFERENCE.recordId, values: recordIds } as const]),
  ],
})

/** Takes away references of one record. */
export async function dropReferences(
  domain: string,
  dropped: readonly Referring[],
  transaction: Transaction,
): Promise<void> {
  const [first] = dropped
  if (first === undefined) return
  const fields = dropped.map(({ field, ids }): Condition => ({
    op: 'and',
    of: [eq(REFERENCE.fieldName, field), { op: 'in', column: REFERENCE.mediaId, values: ids }],
  }))
  const where: Condition = {
    op: 'and',
    of: [ofResource(domain, first.resource, [first.recordId]), { op: 'or', of: fields }],
  }
  await transaction.remove({ table: references, where })
}

/** So many rows are written by one statement. */
const PORTION = 500

/** Writes references of records that have none, with whatever else the transaction writes behind its work. */
export async function appendReferences(
  domain: string,
  added: readonly Referring[],
  transaction: Transaction,
): Promise<void> {
  for (const values of rowsOf(domain, added)) await transaction.append({ table: references, values })
}

/** Writes references. Throws StoreConflict where an id names no item. */
export async function addReferences(
  domain: string,
  added: readonly Referring[],
  transaction: Transaction,
): Promise<void> {
  const rows = rowsOf(domain, added)
  for (let at = 0; at < rows.length; at += PORTION)
    await transaction.insertRows({
      table: references,
      rows: rows.slice(at, at + PORTION),
      onConflict: 'ignore',
    })
}

const rowsOf = (domain: string, added: readonly Referring[]): readonly Row[] =>
  added.flatMap(({ resource, recordId, field, ids }) =>
    ids.map((id) => ({ domain, resource, record_id: recordId, field_name: field, media_id: id })),
  )

/** The same, without the ids that name no item of the domain; the items are held until the transaction ends. */
export async function known(
  domain: string,
  referring: readonly Referring[],
  transaction: Transaction,
): Promise<readonly Referring[]> {
  const ids = [...new Set(referring.flatMap((one) => one.ids))]
  const found = new Set((await itemsOf(domain, ids, transaction, 'shared')).map(({ id }) => id))
  return referring.map((one) => ({ ...one, ids: one.ids.filter((id) => found.has(id)) }))
}
