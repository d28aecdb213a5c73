import type { Condition, Column, Row, Value } from '@svc/store/contract'

/** The text in `column`; anything else there is a fault of the database. */
export function textIn(row: Row, column: Column): string {
  const value = row[column.name]
  if (typeof value !== 'string') throw new Error(`column '${column.name}' holds no text`)
  return value
}

/** The text in a column that may be null. */
export const maybeTextIn = (row: Row, column: Column): string | null =>
  row[column.name] === null || row[column.name] === undefined ? null : textIn(row, column)

/** The number in `column`; anything else there is a fault of the database. */
export function numberIn(row: Row, column: Column): number {
  const value = row[column.name]
  if (typeof value !== 'number') throw new Error(`column '${column.name}' holds no number`)
  return value
}

export const eq = (column: Column, value: Exclude<Value, null>): Condition => ({ op: 'eq', column, value })
export const gt = (column: Column, value: string): Condition => ({ op: 'gt', column, value })
export const all = (...of: readonly Condition[]): Condition => ({ op: 'and', of })
export const any = (...of: readonly Condition[]): Condition => ({ op: 'or', of })
export const isNull = (column: Column): Condition => ({ op: 'null', column })

/** A moment as the store keeps it. */
export const timestamp = (ms: number): string => new Date(ms).toISOString()
