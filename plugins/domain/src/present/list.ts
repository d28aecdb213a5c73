import type { Row } from '@svc/store/contract'
import type { Page } from '../query/page.ts'

/** The list payload of one part of a walk by cursor; `nextCursor` is null at the end. */
export const presentPart = (items: readonly Row[], nextCursor: string | null): object => ({
  items,
  count: items.length,
  nextCursor,
})

/** The list payload: with a total, its page facts in both documented forms. */
export function presentList(items: readonly Row[], page: Page, total: number | undefined): object {
  const list = { items, count: items.length }
  if (page.by === 'offset' || total === undefined) return list
  const pages = Math.ceil(total / page.limit)
  return {
    ...list,
    totalCount: total,
    meta: {
      total,
      page: page.page,
      per_page: page.limit,
      total_pages: pages,
      has_next: page.page < pages,
      has_prev: page.page > 1,
    },
  }
}
