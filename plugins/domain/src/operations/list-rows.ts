import { PAGE_LIMITS, ignoredBy, offsetOf, pageOf } from '@svc/kernel'
import type { Reader, Table } from '@svc/store/contract'
import type { AskedRows, Asker } from '../contract/data.ts'
import { listOf, pageFacts } from '../present/list.ts'
import { allOf } from '../query/live.ts'

/** How many rows a list answers unless its query says otherwise. */
export const DEFAULT_LIMIT = 100
/** The query parameters that say which part of a list is answered. */
export const PAGING: readonly string[] = ['page', 'limit', 'offset']

/** Answers the list payload of a query on a table that belongs to no resource. Throws INVALID_QUERY. */
export async function listRows(
  table: Table,
  { query = {}, parameters = [], where, order, limit = DEFAULT_LIMIT, present = (row) => row }: AskedRows,
  { request, warn = () => undefined }: Pick<Asker, 'request' | 'warn'>,
  reader: Reader,
): Promise<object> {
  const ignored = ignoredBy(request?.meta('prefer'), warn)
  for (const name in query) if (!PAGING.includes(name) && !parameters.includes(name)) ignored('query', name)
  const asked = pageOf(query, { ...PAGE_LIMITS, limit })
  const condition = allOf(where)
  const rows = await reader.select({
    table,
    columns: table.columns,
    where: condition,
    order,
    limit: asked.limit,
    offset: offsetOf(asked),
  })
  const total = asked.by === 'page' ? await reader.count({ table, where: condition }) : undefined
  return listOf(
    await Promise.all(rows.map(async (row) => present(row))),
    pageFacts(rows.length, asked, total),
  )
}
