import { brand } from '@svc/kernel'
import type { Column } from './column.ts'
import type { Value } from './value.ts'
import type { Condition } from './condition.ts'
import type { Order } from './select.ts'
import type { Row } from './row.ts'
import type { Table } from './table.ts'

/** A write that may be the last of its transaction. */
export interface Closing {
  /** Nothing follows it: the transaction may be over, and durable, before its work is. */
  readonly last?: boolean
}

export interface InsertPlan extends Closing {
  readonly table: Table
  /** Columns that are left out take the column's default. */
  readonly values: Row
  /** `ignore`: a row whose key or unique index is taken is left out, and the count says 0. */
  readonly onConflict?: 'ignore'
  /** The row is written where this holds, which speaks of other tables alone; else the count says 0. */
  readonly where?: Condition
}

/** Rows that all fill the same columns. */
export interface InsertRowsPlan {
  readonly table: Table
  readonly rows: readonly Row[]
  /** `ignore`: rows whose key or unique index is taken are left out, and the count passes them over. */
  readonly onConflict?: 'ignore'
}

/** Adds to a number in place, so that two writers never lose a step. */
export class Increment {
  static {
    brand(this, 'Increment')
  }

  readonly by: number

  constructor(by: number) {
    this.by = by
  }
}

export interface UpdatePlan extends Closing {
  readonly table: Table
  readonly set: Readonly<Record<string, Value | Increment>>
  /** At least one comparison: a plan that would touch every row is refused. */
  readonly where: Condition
  /** Columns of the changed rows to answer, as they are afterwards. */
  readonly returning?: readonly Column[]
}

/** Rows that are there, and what each is to hold. */
export interface UpdateRowsPlan {
  readonly table: Table
  /** Each has its whole key and some values besides; none is named twice. What is not there is passed over. */
  readonly rows: readonly Row[]
  /** What is added in each of them besides. */
  readonly increments?: Readonly<Record<string, Increment>>
}

/**
 * Sets columns of the first rows, by `order`, that a condition holds for and that nobody else holds: rows that another
 * transaction holds are passed over, not waited for. Of two that claim at once, on whichever servers, neither gets a
 * row of the other's, as long as `set` is such that `where` no longer holds.
 */
export interface ClaimPlan {
  readonly table: Table
  readonly where: Condition
  readonly order: readonly Order[]
  /** How many rows at most. */
  readonly limit: number
  readonly set: Readonly<Record<string, Value | Increment>>
  /** Columns of the claimed rows to answer, as they are afterwards. */
  readonly returning: readonly Column[]
}

export interface RemovePlan {
  readonly table: Table
  readonly where: Condition
}
