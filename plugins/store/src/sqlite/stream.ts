import type { Call } from '../compile/compiler.ts'
import type { Row } from '../plan.ts'
import type { RawRows } from '../rows.ts'
import type { Connection } from './connection.ts'
import { faultOf } from './faults.ts'
import { patiently } from './patience.ts'

type RawRow = RawRows[number]

/** The rows of a call in chunks of `size`, over a connection of its own, which is closed in the end. */
export async function* streamRows(
  connect: () => Connection,
  { statement, values }: Call,
  size: number,
): AsyncGenerator<readonly Row[]> {
  const connection = await patiently(connect)
  let rows: IterableIterator<RawRow> | undefined
  try {
    // The first row too: from then on the statement sees one state of the database.
    const begun = await patiently(() => begin(connection.iterate(statement.sql, values)))
    rows = begun.rows
    for (let chunk = take(begun, size); chunk.length > 0; chunk = take(begun, size)) {
      yield statement.decode === undefined ? chunk : statement.decode(chunk)
    }
  } catch (error) {
    throw faultOf(error)
  } finally {
    rows?.return?.()
    connection.close()
  }
}

interface Begun {
  first: RawRow | undefined
  readonly rows: IterableIterator<RawRow>
}

function begin(rows: IterableIterator<RawRow>): Begun {
  const { value, done } = rows.next()
  return { first: done === true ? undefined : value, rows }
}

function take(begun: Begun, size: number): RawRows {
  const chunk: RawRows = begun.first === undefined ? [] : [begun.first]
  begun.first = undefined
  while (chunk.length < size) {
    const { value, done } = begun.rows.next()
    if (done === true) break
    chunk.push(value)
  }
  return chunk
}
