import type { Call } from '../compile/compiler.ts'
import type { Row } from '../plan.ts'
import type { Connection } from './connection.ts'

/** The rows that a call answers, in their JSON form. */
export function readRows(connection: Connection, { statement, values }: Call): readonly Row[] {
  const rows = connection.all(statement.sql, values)
  return statement.decode === undefined ? rows : statement.decode(rows)
}

/** The number that a count answers. */
export function readCount(connection: Connection, { statement, values }: Call): number {
  return Number(connection.all(statement.sql, values)[0]?.['count'])
}
