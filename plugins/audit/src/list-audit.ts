import { type Action, defineAction, ignoredBy } from '@svc/kernel'
import type { Store } from '@svc/store/contract'
import { z } from 'zod'
import type { Journal } from './journal.ts'
import { ListQuery, readListQuery, reportUnknown } from './list-query.ts'
import { newest } from './newest.ts'

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
      const items = await newest(store, query)
      return { items, count: items.length }
    },
  })
}
