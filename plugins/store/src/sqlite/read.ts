import type { Call } from '../compile/compiler.ts'
import type { Row } from '../plan.ts'
import type { RawRows } from '../rows.ts'
import type { Connection } from './connection.ts'

/** Rows of a call as the driver made them, in their JSON form. */
export const decoded = (rows: RawRows, { statement: { decode } }: Pick<Call, 'statement'>): readonly Row[] =>
  decode === undefined ? rows : decode(rows)

/** The rows that a call answers, in their JSON form. */
export const readRows = (connection: Connection, call: Call): readonly Row[] =>
  decoded(connection.all(call.statement.sql, call.values), call)

/** The number that a count answers. */
export function readCount(connection: Connection, { statement, values }: Call): number {
  return Number(connection.all(statement.sql, values)[0]?.['count'])
}
