import { type Call, errors, ignoredBy, offsetOf, pageOf } from '@svc/kernel'

/** Query parameters by name, as a transport or an internal caller gives them. */
export type ListQuery = Readonly<Record<string, unknown>>

/** The entries of a list that are answered. */
export interface Range {
  readonly limit: number
  readonly offset: number
}

/** The entries that `limit` and `offset` ask for, brought into range. Throws INVALID_QUERY for what is no number. */
export function rangeOf({ limit, offset }: ListQuery): Range {
  const page = pageOf({ limit, offset })
  return { limit: page.limit, offset: offsetOf(page) }
}

/** The text of a parameter; undefined where it is absent or empty. Throws INVALID_QUERY for what no store can hold. */
export function textOf(query: ListQuery, name: string): string | undefined {
  const value = query[name]
  if (typeof value !== 'string' || value === '') return undefined
  if (value.includes('\0')) throw errors.INVALID_QUERY({ message: `'${name}' must not hold a NUL` })
  return value
}

/** Says which parameters had no effect; a caller who wants strict handling is refused instead. */
export function reportUnknown(query: ListQuery, known: readonly string[], call: Call): void {
  const ignored = ignoredBy(call.request?.meta('prefer'), call.warn)
  for (const name of Object.keys(query)) if (!known.includes(name)) ignored('query', name)
}
