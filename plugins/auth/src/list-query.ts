import { type Call, errors } from '@svc/kernel'

/** Query parameters by name, as a transport or an internal caller gives them. */
export type ListQuery = Readonly<Record<string, unknown>>

export interface Page {
  readonly limit: number
  readonly offset: number
}

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 1000

/** The page that `limit` and `offset` ask for, brought into range. Throws INVALID_QUERY for what is no number. */
export function pageOf(query: ListQuery): Page {
  const limit = integerIn(query, 'limit') ?? DEFAULT_LIMIT
  return {
    limit: Math.min(Math.max(limit, 1), MAX_LIMIT),
    offset: Math.min(Math.max(integerIn(query, 'offset') ?? 0, 0), Number.MAX_SAFE_INTEGER),
  }
}

/** The text of a parameter; undefined where it is absent or empty. Throws INVALID_QUERY for what no store can hold. */
export function textOf(query: ListQuery, name: string): string | undefined {
  const value = query[name]
  if (typeof value !== 'string' || value === '') return undefined
  if (value.includes('\0')) throw errors.INVALID_QUERY({ message: `'${name}' must not hold a NUL` })
  return value
}

/** Says which parameters had no effect; a caller who wants `handling=strict` (RFC 7240) is refused instead. */
export function reportUnknown(query: ListQuery, known: readonly string[], call: Call): void {
  const isStrict = /\bhandling=strict\b/i.test(call.request?.meta('prefer') ?? '')
  for (const name of Object.keys(query).filter((key) => !known.includes(key))) {
    const message = `The query parameter '${name}' is not known here; known are: ${known.join(', ')}`
    if (isStrict) throw errors.INVALID_QUERY({ message })
    call.warn({ rule: 'ignored', message, severity: 'info', regulation: null })
  }
}

function integerIn(query: ListQuery, name: string): number | undefined {
  const value = query[name]
  if (value === undefined) return undefined
  if (/^[+-]?\d{1,20}$/.test(String(value))) return Number(value)
  throw errors.INVALID_QUERY({ message: `'${name}' must be a whole number` })
}
