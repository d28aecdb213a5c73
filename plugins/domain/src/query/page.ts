import { errors } from '@svc/kernel'

export const DEFAULT_LIMIT = 50
export const MAX_LIMIT = 1000

/** Which part of a list is asked for: by page, with a total, or by offset, without. */
export type Page =
  | { readonly by: 'page'; readonly page: number; readonly limit: number }
  | { readonly by: 'offset'; readonly offset: number; readonly limit: number }

/** Reads `page`, `limit` and `offset`: values out of range are brought into range, `page` wins over `offset`. */
export function page(
  { page, limit, offset }: Readonly<Record<string, string>>,
  defaultLimit = DEFAULT_LIMIT,
): Page {
  const size = clamp(integer('limit', limit) ?? defaultLimit, 1, MAX_LIMIT)
  const from = integer('offset', offset)
  const number = integer('page', page)
  if (number !== undefined || from === undefined)
    return { by: 'page', page: clamp(number ?? 1, 1, MAX_PAGE), limit: size }
  return { by: 'offset', offset: clamp(from, 0, Number.MAX_SAFE_INTEGER), limit: size }
}

/** The part of a list that follows a cursor; the first part where the cursor is ''. */
export interface CursorPage {
  readonly by: 'cursor'
  readonly cursor: string
  readonly limit: number
}

/** Reads which part of a list is asked for; `cursor` wins over `page` and `offset`. */
export function listPage(query: Readonly<Record<string, string>>): Page | CursorPage {
  const { cursor } = query
  const asked = page(query)
  return cursor === undefined ? asked : { by: 'cursor', cursor, limit: asked.limit }
}

/** Keeps page times limit an exact number. */
const MAX_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / MAX_LIMIT)

export const offsetOf = (asked: Page): number =>
  asked.by === 'page' ? (asked.page - 1) * asked.limit : asked.offset

function integer(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^[+-]?\d{1,400}$/.test(text))
    throw errors.INVALID_QUERY({ message: `'${name}' must be a whole number, not '${text.slice(0, 50)}'` })
  return Number(text)
}

const clamp = (value: number, min: number, max: number): number => Math.min(Math.max(value, min), max)
