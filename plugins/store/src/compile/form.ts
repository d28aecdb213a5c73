import { type RawBuilder, sql } from 'kysely'
import type { Column, Table } from '../plan.ts'
import type { Dialect, Sql } from './dialect.ts'
import type { Shape } from './shape.ts'

/** One kind of plan: how it is read on every call, and how it is written once for each shape. */
export interface Form<P extends { readonly table: Table }> {
  /** The first letters of its keys. */
  readonly kind: string
  read(plan: P, shape: Shape): void
  write(plan: P, dialect: Dialect): Sql
  /** The columns of the rows that it answers. */
  returned(plan: P): readonly Column[]
  /** The columns that rows answer as one text. */
  text?(plan: P): readonly Column[] | undefined
  /** Whether its rows are found by their key. */
  isByKey?(plan: P): boolean
}

/** A parameter: the value comes with each call. */
export const PARAMETER: Sql = sql.val(null)

export const nothing: Sql = sql.raw('')

/** A quoted name; dots and blanks in it mean nothing. */
export const named = (one: { readonly name: string }): Sql => sql.id(one.name)

/** How many parts stand in a row: SQLite takes a thousand levels, and every operator of a row is one. */
const ROW = 50

/** Parts with an operator between them, in as many levels as their number needs. */
export function chained(parts: readonly Sql[], operator: 'and' | 'or'): Sql {
  if (parts.length === 0) return sql.raw(operator === 'and' ? 'true' : 'false')
  if (parts.length <= ROW) return sql`(${sql.join(parts, sql.raw(` ${operator} `))})`
  const size = Math.ceil(parts.length / ROW)
  const groups = Array.from({ length: Math.ceil(parts.length / size) }, (_, i) =>
    chained(parts.slice(i * size, (i + 1) * size), operator),
  )
  return chained(groups, operator)
}

export const listed = (parts: readonly Sql[]): RawBuilder<unknown> => sql.join(parts)
