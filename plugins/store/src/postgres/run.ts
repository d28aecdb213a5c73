import type { ClientBase, QueryResult } from 'pg'
import type { Call } from '../compile/compiler.ts'
import type { Row } from '../plan.ts'
import type { RawRows } from '../rows.ts'

/** Runs a call; the server keeps its statement prepared under the statement's name. */
export async function run(client: ClientBase, { statement, values }: Call): Promise<QueryResult<Row>> {
  const { decode, name, sql: text } = statement
  const result = await client.query<RawRows[number]>({ name, text, values: [...values] })
  return decode === undefined ? result : { ...result, rows: [...decode(result.rows)] }
}

/** The number that a count answers. */
export const countIn = ({ rows }: QueryResult<Row>): number => Number(rows[0]?.['count'])
