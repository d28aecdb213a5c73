import type { Resource } from '@svc/domain/contract'
import type { Condition, Row, Transaction } from '@svc/store/contract'
import { rowWith } from '../setting.ts'
import { FIRING } from '../tables/firings.ts'
import type { Tables } from '../tables/tables.ts'

/** How many batches are read at once. */
const PORTION = 50

/**
 * Erases what batches say of one of their records: messages of errors, which may quote its values, and a tag, which may be made
 * of them. That it was among them stays, as its key does in the entries of single firings.
 */
export async function eraseFromBatches(
  { name }: Resource,
  key: string,
  { firings: table }: Tables,
  transaction: Transaction,
): Promise<void> {
  for (let after: string | undefined; ;) {
    const batches = await transaction.select({
      table,
      columns: [FIRING.id, FIRING.records, FIRING.error, FIRING.errors],
      where: batchesAfter(name, after),
      order: [{ column: FIRING.id, descending: false }],
      limit: PORTION,
    })
    for (const batch of batches)
      if (isAmong(batch['records'], key))
        await transaction.update({
          table,
          set: { tag: null, error: wordless(batch['error']), errors: withoutWordsOf(batch['errors'], key) },
          where: rowWith(table, { id: String(batch['id']) }),
        })
    if (batches.length < PORTION) return
    after = String(batches.at(-1)?.['id'])
  }
}

const batchesAfter = (resource: string, after: string | undefined): Condition => ({
  op: 'and',
  of: [
    { op: 'eq', column: FIRING.resource, value: resource },
    { op: 'not', of: { op: 'null', column: FIRING.records } },
    ...(after === undefined ? [] : [{ op: 'gt' as const, column: FIRING.id, value: after }]),
  ],
})

const isAmong = (records: Row[string] | undefined, key: string): boolean =>
  Array.isArray(records) && records.includes(key)

const isObject = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An error of which the code alone is left. */
const wordless = (error: Row[string] | undefined): Row | null =>
  isObject(error) ? { ...error, message: '' } : null

const withoutWordsOf = (errors: Row[string] | undefined, key: string): Row[] =>
  (Array.isArray(errors) ? errors : [])
    .filter(isObject)
    .map((one) => (one['recordId'] === key ? { ...one, error_message: '' } : one))
