import { type Action, defineAction, ignoredBy } from '@svc/kernel'
import type { Row, Store } from '@svc/store/contract'
import { z } from 'zod'
import type { Journal } from './journal.ts'
import { conditionOf, ListQuery, rangeOf, readListQuery, reportUnknown } from './list-query.ts'
import { AUDIT_TABLE, COLUMNS, NO_ADDRESS } from './table.ts'

const Entry = z.strictObject({
  id: z.uuid(),
  username: z.string().nullable(),
  action: z.string(),
  transport: z.string(),
  remoteAddr: z.string().nullable().describe('Null where none is kept'),
  statusCode: z.int(),
  durationMs: z.number(),
  timestamp: z.iso.datetime(),
})
const output = z.strictObject({ items: z.array(Entry), count: z.int() })

export interface ListAuditOptions {
  readonly store: Store
  readonly journal: Pick<Journal, 'flush'>
}

/** Lists the records, the newest first, with those of all requests that were answered before. */
export function listAudit({ store, journal }: ListAuditOptions): Action {
  return defineAction<ListQuery, unknown>({
    name: 'admin.audit.list',
    summary: 'Lists the requests on record, the newest first',
    access: ['admin'],
    routes: ['GET /api/v1/admin/audit'],
    // Who did what is for nobody to keep.
    headers: { 'Cache-Control': 'no-store' },
    input: ListQuery,
    output,
    bind: readListQuery,
    async handle(query, call) {
      const { request } = call
      if (request) reportUnknown(request.query, ignoredBy(request.meta('prefer'), call.warn))
      await journal.flush()
      const rows = await store.select({
        table: AUDIT_TABLE,
        columns: AUDIT_TABLE.columns,
        where: conditionOf(query),
        order: [
          { column: COLUMNS.timestamp, descending: true },
          { column: COLUMNS.id, descending: true },
        ],
        ...rangeOf(query),
      })
      return { items: rows.map(present), count: rows.length }
    },
  })
}

/** A row under the names that its columns have outside. */
function present(row: Row): Row {
  const shown = Object.entries(COLUMNS).map(([name, column]) => [name, row[column.name] ?? null] as const)
  const address = row[COLUMNS.remoteAddr.name]
  return { ...Object.fromEntries(shown), remoteAddr: address === NO_ADDRESS ? null : (address ?? null) }
}
