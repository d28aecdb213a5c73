import { JsonText, type Page } from '@svc/kernel'
import type { Row } from '@svc/store/contract'

/** What a list says of itself besides its items. */
export interface ListFacts {
  readonly count: number
  readonly nextCursor?: string | null
  readonly totalCount?: number
  readonly meta?: object
}

/** A list payload of records. */
export const listOf = (items: readonly Row[], facts: ListFacts): object => ({ items, ...facts })

/** The same of records that are text already. */
export function listOfTexts(items: readonly string[], facts: ListFacts): JsonText {
  const parts: string[] = []
  for (const item of items) parts.push(parts.length === 0 ? '{"items":[' : ',', item)
  parts.push(`${items.length === 0 ? '{"items":[' : ''}],${JSON.stringify(facts).slice(1)}`)
  return new JsonText(parts)
}

/** The facts of one part of a walk by cursor; `nextCursor` is null at the end. */
export const partFacts = (count: number, nextCursor: string | null): ListFacts => ({ count, nextCursor })

/** The facts of a page: with a total, in both documented forms. */
export function pageFacts(count: number, page: Page, total: number | undefined): ListFacts {
  if (page.by === 'offset' || total === undefined) return { count }
  const pages = Math.ceil(total / page.limit)
  return {
    count,
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
