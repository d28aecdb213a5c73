import type { Row, Value } from '@svc/store/contract'

/**
 * A result as it is kept: whoever reads it later sees of records what is theirs to read, so that a record says of which
 * resource it is.
 */
export type Result =
  | null
  | { readonly of: string; readonly record: Row }
  | { readonly items: readonly Value[] }
  | { readonly branches: Readonly<Record<string, Value>> }
  | { readonly value: Value }

/** Makes something else of each record in a result that was kept. */
export function readResult(kept: Value, record: (of: string, row: Row) => Value): Value {
  if (!isMap(kept)) return null
  const { of, items, branches } = kept
  if (typeof of === 'string' && isMap(kept['record'])) return record(of, kept['record'])
  if (Array.isArray(items)) return items.map((one: Value) => readResult(one, record))
  if (isMap(branches))
    return Object.fromEntries(Object.entries(branches).map(([name, one]) => [name, readResult(one, record)]))
  return kept['value'] ?? null
}

/** A result as expressions find it. */
export const plainResult = (kept: Value): Value => readResult(kept, (_, row) => row)

export const isMap = (value: Value | undefined): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
