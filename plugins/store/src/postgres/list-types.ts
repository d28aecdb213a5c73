import { sql } from 'kysely'
import type { Sql } from '../compile/dialect.ts'
import type { ColumnKind } from '../plan.ts'

/** The type of an element of a list for columns of each kind. */
export const LIST_TYPES: Readonly<Record<ColumnKind, Sql>> = {
  text: sql.raw('text'),
  integer: sql.raw('bigint'),
  decimal: sql.raw('numeric'),
  float: sql.raw('float8'),
  boolean: sql.raw('boolean'),
  date: sql.raw('date'),
  time: sql.raw('time'),
  datetime: sql.raw('timestamptz'),
  uuid: sql.raw('uuid'),
  json: sql.raw('jsonb'),
}
