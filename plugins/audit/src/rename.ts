import type { Condition, Store, Transaction } from '@svc/store/contract'
import { splitRow } from './row.ts'
import { AUDIT_TABLE, COLUMNS, EARLIER, NO_ADDRESS, SPAN_MS } from './table.ts'

/** What becomes of a name that somebody else may take. */
export interface Erased {
  readonly pseudonym: string
  /** Later requests may be those of somebody else of the same name. */
  readonly until: string
}

/** Has the log forget a name and its addresses; answers how many rows changed. */
export async function rename(
  name: string,
  { pseudonym, until }: Erased,
  transaction: Transaction,
): Promise<number> {
  const named: Condition = { op: 'eq', column: COLUMNS.username, value: name }
  const split = await splitAt(until, named, transaction)
  const { count } = await transaction.update({
    table: AUDIT_TABLE,
    set: { [COLUMNS.username.name]: pseudonym, [COLUMNS.remoteAddr.name]: NO_ADDRESS },
    where: { op: 'and', of: [named, { op: 'lte', column: COLUMNS.timestamp, value: until }] },
  })
  return split + count
}

/** Has every row of these stand for requests on one side of a moment alone; answers how many did not. */
async function splitAt(moment: string, of: Condition, transaction: Transaction): Promise<number> {
  const across = await transaction.select({
    table: AUDIT_TABLE,
    columns: AUDIT_TABLE.columns,
    where: {
      op: 'and',
      of: [
        of,
        { op: 'gt', column: COLUMNS.timestamp, value: moment },
        { op: 'lt', column: COLUMNS.timestamp, value: new Date(Date.parse(moment) + SPAN_MS).toISOString() },
        { op: 'lte', column: EARLIER.earliest, value: moment },
      ],
    },
    order: [],
    lock: true,
  })
  for (const row of across) {
    const [until, later] = splitRow(row, moment)
    await transaction.remove({
      table: AUDIT_TABLE,
      where: {
        op: 'and',
        of: [
          { op: 'eq', column: COLUMNS.timestamp, value: row[COLUMNS.timestamp.name]! },
          { op: 'eq', column: COLUMNS.id, value: row[COLUMNS.id.name]! },
        ],
      },
    })
    await transaction.insertRows({ table: AUDIT_TABLE, rows: [until, later], onConflict: 'ignore' })
  }
  return across.length
}

/** The names that stand in the log. */
export async function namesIn(requests: Store): Promise<readonly string[]> {
  const rows = await requests.aggregate({
    table: AUDIT_TABLE,
    where: { op: 'not', of: { op: 'null', column: COLUMNS.username } },
    by: { username: { op: 'column', column: COLUMNS.username } },
    measures: { requests: { fn: 'count' } },
  })
  return rows.map(({ username }) => String(username))
}
