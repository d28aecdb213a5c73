import { sql } from 'kysely'
import type { Dialect, Sql } from './dialect.ts'
import { nothing, PARAMETER } from './form.ts'
import type { Shape } from './shape.ts'

interface Range {
  readonly limit?: number
  readonly offset?: number
}

/** Adds to the shape of a plan which of its rows are answered. */
export function readRange({ limit, offset }: Range, shape: Shape): void {
  if (limit !== undefined) shape.rows('limit', limit)
  if (offset !== undefined) shape.rows('offset', offset)
}

/** Not every store takes an offset without a limit. */
const EVERY_ROW = sql.lit(Number.MAX_SAFE_INTEGER)

/** Which of the rows are answered; begins with a blank where it says anything. */
export function range({ limit, offset }: Range, dialect: Dialect): Sql {
  if (offset === undefined) return limit === undefined ? nothing : sql` limit ${dialect.limit}`
  return sql` limit ${limit === undefined ? EVERY_ROW : dialect.limit} offset ${PARAMETER}`
}
