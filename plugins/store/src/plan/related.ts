import type { Column } from './column.ts'
import type { Condition } from './condition.ts'
import type { Scalar } from './scalar.ts'
import type { Table } from './table.ts'

/** The rows of another table that belong to a row: those that hold a value of it, also as a text, and meet a condition. */
export interface Related {
  readonly table: Table
  readonly on: readonly [inner: Column, outer: Column]
  readonly where: Condition
}

/** By what related rows come one after the other: nulls first ascending, last descending. */
export interface RelatedOrder {
  readonly by: Scalar
  readonly descending: boolean
}

/** What is made of all related rows: over none, `count` and `sum` are 0 and the others null. Nulls are passed over. */
export type Fold =
  /** Rows where the scalar is not null. */
  | 'count'
  /** By the numbers' decimal digits, as the nearest double; null past what a double holds. */
  | 'sum'
  /** Of numbers, or of texts by code point. */
  | 'min'
  | 'max'
