import type { PoolClient } from 'pg'
import type { Call } from '../compile/compiler.ts'
import type { Row } from '../plan.ts'
import type { RawRows } from '../rows.ts'
import { faultOf } from './faults.ts'
import type { Sessions } from './sessions.ts'

/** The rows of a call in chunks of `size`: a cursor on the server, inside one transaction that only reads. */
export async function* streamRows(
  sessions: Sessions,
  call: Call,
  size: number,
): AsyncGenerator<readonly Row[]> {
  let client: PoolClient | undefined
  let isLost = false
  try {
    client = await sessions.lease((taken) => declare(taken, call))
    for (let rows = await fetch(client, size); rows.length > 0; rows = await fetch(client, size))
      yield call.statement.decode === undefined ? rows : call.statement.decode(rows)
  } catch (error) {
    isLost = true
    throw faultOf(error)
  } finally {
    if (client !== undefined) await giveBack(sessions, client, isLost)
  }
}

async function declare(client: PoolClient, { statement, values }: Call): Promise<void> {
  await client.query('begin isolation level repeatable read read only')
  await client.query({ text: `declare chunks no scroll cursor for ${statement.sql}`, values: [...values] })
}

async function fetch(client: PoolClient, size: number): Promise<RawRows> {
  const { rows } = await client.query<RawRows[number]>(`fetch forward ${size} from chunks`)
  return rows
}

/** A connection that cannot end its transaction is of no more use. */
async function giveBack(sessions: Sessions, client: PoolClient, isLost: boolean): Promise<void> {
  const isDead =
    isLost ||
    (await client.query('rollback').then(
      () => false,
      () => true,
    ))
  sessions.giveBack(client, isDead)
}
