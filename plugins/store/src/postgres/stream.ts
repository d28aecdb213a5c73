import type { PoolClient } from 'pg'
import type { Call } from '../compile/compiler.ts'
import { lengthOf, type Part, PART_LENGTH } from '../part.ts'
import type { RawRows } from '../rows.ts'
import { faultOf } from './faults.ts'
import type { Sessions } from './sessions.ts'

/** Rows that are fetched first, before it is known how long they are. */
const FIRST = 25
/** How many times as many as before are fetched at most: those that come next may be longer. */
const GROWTH = 8

/** The rows of a call in parts of `size` at most: a cursor on the server, inside one transaction that only reads. */
export async function* streamRows(sessions: Sessions, call: Call, size: number): AsyncGenerator<Part> {
  let client: PoolClient | undefined
  let isLost = false
  try {
    client = await sessions.lease((taken) => declare(taken, call))
    const { decode } = call.statement
    let asked = Math.min(FIRST, size)
    for (let isLast = false; !isLast;) {
      const rows = await fetch(client, asked)
      const length = rows.reduce((sum, row) => sum + lengthOf(row), 0)
      isLast = rows.length < asked
      asked = Math.min(fitting(rows.length, length), GROWTH * asked, size)
      yield { rows: decode === undefined ? rows : decode(rows), length, isLast }
    }
  } catch (error) {
    isLost = true
    throw faultOf(error)
  } finally {
    if (client !== undefined) await giveBack(sessions, client, isLost)
  }
}

/** How many rows such as these make a part. */
const fitting = (count: number, length: number): number =>
  Math.max(1, Math.floor((PART_LENGTH * count) / Math.max(1, length)))

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
