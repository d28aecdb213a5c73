import type { ClientBase, QueryResult } from 'pg'
import type { Call } from '../compile/compiler.ts'
import type { Row } from '../plan.ts'

/** Runs a call; the server keeps its statement prepared under the statement's name. */
export function run(client: ClientBase, { statement, values }: Call): Promise<QueryResult<Row>> {
  return client.query<Row>({ name: statement.name, text: statement.sql, values: [...values] })
}

/** The number that a count answers. */
export const countIn = ({ rows }: QueryResult<Row>): number => Number(rows[0]?.['count'])
