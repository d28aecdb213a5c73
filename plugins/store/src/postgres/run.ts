import type { ClientBase } from 'pg'
import type { Call, Statement } from '../compile/compiler.ts'
import { type Answer, runRound } from './round.ts'

/** Runs one call by itself; the server keeps its statement prepared under the statement's name. */
export async function run(client: ClientBase, call: Call): Promise<Answer> {
  const {
    answers: [answer],
    failure,
  } = await runRound(client, [call])
  if (answer !== undefined) return answer
  if (failure !== undefined) throw failure.error
  throw new Error('the server answered less than it was asked')
}

/** A statement that no plan stands behind and that binds no values; one with a name is kept prepared under it. */
export function plain(sql: string, name = ''): Call {
  const statement: Statement = {
    sql,
    name,
    decode: undefined,
    answers: false,
    text: undefined,
    isByKey: false,
  }
  return { statement, values: [] }
}

/** The number that a count answers. */
export const countIn = ({ rows }: Pick<Answer, 'rows'>): number => Number(rows[0]?.['count'])
