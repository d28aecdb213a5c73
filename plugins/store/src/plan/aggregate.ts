import { column, type Column, type ColumnKind } from './column.ts'
import type { Condition } from './condition.ts'
import { typeOf, type Scalar } from './scalar.ts'
import type { Table } from './table.ts'

/**
 * What is worked out over the rows of a group. Nulls are passed over; over nothing `count` and `countDistinct` are 0,
 * the others null. Numbers are summed by their decimal digits: `sum` is the exact sum, as the nearest double, and
 * `avg` the exact sum by the count, rounded half away from zero to `AVERAGE_DIGITS`; null past what a double holds.
 * `min` and `max` take numbers, and texts by code point, dates and times among them.
 */
export type Measure = (
  | { readonly fn: 'count'; /** Rows where it is not null; all unless said. */ readonly scalar?: Scalar }
  | { readonly fn: 'countDistinct' | 'sum' | 'avg' | 'min' | 'max'; readonly scalar: Scalar }
) & {
  /** The rows of the group that count; all unless said. */
  readonly where?: Condition
}

/** The digits after the point of an average. */
export const AVERAGE_DIGITS = 6

/** By what groups are sorted. */
export interface AggregateOrder {
  readonly by: string
  readonly descending: boolean
  /** Of a number: null counts as 0. */
  readonly isNullZero?: boolean
}

/**
 * Groups of rows, and what each comes to. A row is answered for each group, with the values of `by` and `measures`
 * under their names, of at most 63 bytes; without `by` one row, over no rows too. Null is a group of its own.
 */
export interface AggregatePlan {
  readonly table: Table
  readonly where: Condition
  readonly by: Readonly<Record<string, Scalar>>
  readonly measures: Readonly<Record<string, Measure>>
  /** Which groups, by the columns of `answerOf(plan)`. */
  readonly having?: Condition
  /** Names of `by` and `measures`; groups that this leaves equal come in the order of `by`. */
  readonly order?: readonly AggregateOrder[]
  readonly limit?: number
  readonly offset?: number
}

/** The columns of the rows that a plan answers, under their names: groups first. */
export function answerOf({
  by,
  measures,
}: Pick<AggregatePlan, 'by' | 'measures'>): ReadonlyMap<string, Column> {
  return new Map([
    ...Object.entries(by).map(([name, scalar]) => [name, column(name, kindOf(scalar), true)] as const),
    ...Object.entries(measures).map(([name, measure]) => [name, measured(name, measure)] as const),
  ])
}

function measured(name: string, measure: Measure): Column {
  switch (measure.fn) {
    case 'count':
    case 'countDistinct':
      return column(name, 'integer')
    case 'sum':
    case 'avg':
      return column(name, 'float', true)
    default:
      return column(name, kindOf(measure.scalar), true)
  }
}

const KINDS = { text: 'text', number: 'float', boolean: 'boolean' } as const

/** A column keeps its kind, and so do the hours of one. */
const kindOf = (scalar: Scalar): ColumnKind =>
  scalar.op === 'column' || scalar.op === 'slot' ? scalar.column.kind : KINDS[typeOf(scalar)]
