import { ignoredBy, offsetOf, PAGE_LIMITS, pageOf } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import type { Asker, Query } from '../contract/data.ts'
import { listOf, pageFacts } from '../present/list.ts'
import { DEFAULT_LIMIT, PAGING } from './list-rows.ts'

/** Which items that are in memory are listed, and how they are shown. */
export interface AskedItems<T> {
  readonly query?: Query
  /** Names of the query parameters by which the items were chosen; others are told as ignored. */
  readonly parameters?: readonly string[]
  /** How many items a page has unless the query says otherwise: 100 unless said. */
  readonly limit?: number
  /** The items of the page as they are shown. */
  present(items: readonly T[]): readonly Row[] | Promise<readonly Row[]>
}

/**
 * One part of what is in memory in the form of every list, `{items, count, totalCount?, meta?}`, as `data.list` answers
 * rows of a table. Throws INVALID_QUERY.
 */
export async function listItems<T>(
  items: readonly T[],
  { query = {}, parameters = [], limit = DEFAULT_LIMIT, present }: AskedItems<T>,
  { request, warn = () => undefined }: Pick<Asker, 'request' | 'warn'>,
): Promise<object> {
  const ignored = ignoredBy(request?.meta('prefer'), warn)
  for (const name in query) if (!PAGING.includes(name) && !parameters.includes(name)) ignored('query', name)
  const asked = pageOf(query, { ...PAGE_LIMITS, limit })
  const page = items.slice(offsetOf(asked), offsetOf(asked) + asked.limit)
  return listOf(await present(page), pageFacts(page.length, asked, items.length))
}
