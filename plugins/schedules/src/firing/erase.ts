import type { Resource } from '@svc/domain/contract'
import type { Condition, Row, Transaction } from '@svc/store/contract'
import { FIRING } from '../tables/firings.ts'
import type { Tables } from '../tables/tables.ts'

/** How many batches are read at once. */
const PORTION = 50

/**
 * Erases what batches say of some of their records: messages of errors, which may quote their values, and a tag, which may be made
 * of them. That they were among them stays, as their keys do in the entries of single firings.
 */
export async function eraseFromBatches(
  { name }: Resource,
  keys: ReadonlySet<string>,
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
    const rows = batches
      .filter(({ records }) => hasAny(records, keys))
      .map(({ id = null, error, errors }) => ({
        id,
        tag: null,
        error: wordless(error),
        errors: withoutWordsOf(errors, keys),
      }))
    await transaction.updateRows({ table, rows })
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

const hasAny = (records: Row[string] | undefined, keys: ReadonlySet<string>): boolean =>
  Array.isArray(records) && records.some((key: unknown) => typeof key === 'string' && keys.has(key))

const isObject = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An error of which the code alone is left. */
const wordless = (error: Row[string] | undefined): Row | null =>
  isObject(error) ? { ...error, message: '' } : null

const withoutWordsOf = (errors: Row[string] | undefined, keys: ReadonlySet<string>): Row[] =>
  (Array.isArray(errors) ? errors : [])
    .filter(isObject)
    .map((one) => (keys.has(String(one['recordId'])) ? { ...one, error_message: '' } : one))
