import { type Page, pageOf } from '@svc/kernel'

/** The part of a list that follows a cursor; the first part where the cursor is ''. */
export interface CursorPage {
  readonly by: 'cursor'
  readonly cursor: string
  readonly limit: number
}

/** Reads which part of a list is asked for; `cursor` wins over `page` and `offset`. */
export function listPage(query: Readonly<Record<string, string>>): Page | CursorPage {
  const { cursor } = query
  const asked = pageOf(query)
  return cursor === undefined ? asked : { by: 'cursor', cursor, limit: asked.limit }
}
