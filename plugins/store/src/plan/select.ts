import type { Arrival } from '@svc/kernel'
import type { Column } from './column.ts'
import type { Condition } from './condition.ts'
import type { Scalar } from './scalar.ts'
import type { Table } from './table.ts'

/** Nulls come first ascending and last descending. */
export interface Order {
  readonly column: Column
  readonly descending: boolean
  /** What rows are sorted by in place of the column, which then says its name and kind alone. */
  readonly by?: Scalar
}

/** What the store works out for each row, under the name of a column that says its kind and that no table has. */
export interface Worked {
  readonly column: Column
  readonly scalar: Scalar
}

export interface SelectPlan {
  readonly table: Table
  readonly columns: readonly Column[]
  /**
   * Columns that each row answers in this order as the text of one JSON object, under the name `TEXT`: what leaves as
   * it is read needs to become no values before.
   */
  readonly text?: readonly Column[]
  /** What rows answer besides. */
  readonly worked?: readonly Worked[]
  /** Answers equal rows once; the order names columns of the answer alone. */
  readonly distinct?: boolean
  readonly where: Condition
  readonly order: readonly Order[]
  readonly limit?: number
  readonly offset?: number
  /** Reads the rows through another table, once for each of its rows that leads to them. */
  readonly through?: Through
  /**
   * Holds the rows until the transaction ends: against all who would write or hold them too, or as `shared` against
   * those alone who would remove them or hold them against all.
   */
  readonly lock?: boolean | 'shared'
  /**
   * A column of the rows to be held, in which every write of a row counts one up. A store need not hold them then: it may
   * find by the count, as it writes, that somebody else has written them since, and run the work again.
   */
  readonly counted?: Column
  /**
   * What the message came in with that it is read for: the rows may be as they were when others were read for the same. Whatever is read without it,
   * in between too, is as it stands now. A transaction passes over it.
   */
  readonly arrival?: Arrival | undefined
}

/** A table between two others. Conditions and orders of the plan speak of the plan's own table alone. */
export interface Through {
  readonly table: Table
  /** The column whose value every row carries along, under the name `CARRIED`. */
  readonly carry: Column
  readonly on: readonly [through: Column, own: Column]
  /** Which rows of `table` lead on. */
  readonly where: Condition
}

/** The name of the text that rows bring where a plan asks for one; no column has it. */
export const TEXT = '~text'

/** The name of the value that rows bring from the table that they were read through; no column has it. */
export const CARRIED = '~carried'

export interface CountPlan {
  readonly table: Table
  readonly where: Condition
}
