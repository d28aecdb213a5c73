import type { Call } from '../compile/compiler.ts'
import type { RawRows } from '../rows.ts'
import { Chunks } from './chunks.ts'
import type { Connection } from './connection.ts'
import { patiently } from './patience.ts'

/** Rows of one state of the database, and how many milliseconds they took. */
interface Part {
  readonly rows: RawRows
  readonly took: number
}

/**
 * Reads the rows of a call in parts of `size` between all else, over a connection of its own, which is closed in the end. Throws
 * as SQLite does.
 */
export async function* partsHere(
  connect: () => Connection,
  { statement, values }: Call,
  size: number,
): AsyncGenerator<Part, void> {
  const connection = await patiently(connect)
  const chunks = new Chunks(() => connection.iterate(statement.sql, values), size)
  try {
    // The first rows too: from then on the statement sees one state of the database.
    let begun = performance.now()
    let rows = await patiently(() => chunks.next())
    while (rows.length > 0) {
      yield { rows, took: performance.now() - begun }
      begun = performance.now()
      rows = chunks.next()
    }
  } finally {
    chunks.end()
    connection.close()
  }
}
