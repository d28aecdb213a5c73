import type { Codec } from './codec.ts'
import type { Value } from './value.ts'

/** How a column's values look in JSON; each store has its own type for each kind. */
export const COLUMN_KINDS = [
  'text', // string, compared by code point
  'integer', // number without fraction, exact to 2^53-1
  'decimal', // number kept as decimal digits
  'float', // number kept as a double
  'boolean',
  'date', // 'YYYY-MM-DD'
  'time', // 'HH:MM:SS', with a fraction of one to three digits where there is one, as PostgreSQL prints it
  'datetime', // 'YYYY-MM-DDTHH:MM:SS.sssZ', UTC
  'uuid', // lower-case text of RFC 9562
  'json', // any JSON value
] as const
export type ColumnKind = (typeof COLUMN_KINDS)[number]

export interface Column {
  readonly name: string
  readonly kind: ColumnKind
  readonly nullable: boolean
  /** Written by the store where an insert leaves the column out. */
  readonly default?: Value
  /**
   * Values are kept in another form, as text, wherever the column is written, and have their own wherever it is read.
   * All that can be asked of such a column is whether it is null: it is neither compared nor ordered nor grouped by, and
   * stands in no key and no index.
   */
  readonly codec?: Codec
  /**
   * A number that the store gives each row as it is written, larger than all before it and never again: an insert leaves it
   * out. It is of kind `integer` and the whole key of its table. Of two writers at once either may have the smaller one.
   */
  readonly numbered?: true
  /** A text without a bound that an index covers. A store whose indexes have one looks it up by its beginning. */
  readonly long?: true
}

/** A column of a table of one's own. */
export const column = (name: string, kind: ColumnKind, nullable = false): Column =>
  Object.freeze({ name, kind, nullable })
