import type { Call } from '../compile/compiler.ts'
import type { RawRows } from '../rows.ts'
import type { Part } from '../part.ts'
import { Chunks } from './chunks.ts'
import type { Connection } from './connection.ts'
import { patiently } from './patience.ts'

/** Rows of one state of the database, and how many milliseconds they took. */
export interface Read extends Part<RawRows> {
  readonly took: number
}

/**
 * Reads the rows of a call in parts of `size` at most between all else, over a connection of its own, which is closed in the end. Throws
 * as SQLite does.
 */
export async function* partsHere(
  connect: () => Connection,
  { statement, values }: Call,
  size: number,
): AsyncGenerator<Read, void> {
  const connection = await patiently(connect)
  const chunks = new Chunks(() => connection.iterate(statement.sql, values), size)
  try {
    // The first rows too: from then on the statement sees one state of the database.
    let begun = performance.now()
    let part = await patiently(() => chunks.next())
    while (!part.isLast) {
      yield { ...part, took: performance.now() - begun }
      begun = performance.now()
      part = chunks.next()
    }
    yield { ...part, took: performance.now() - begun }
  } finally {
    chunks.end()
    connection.close()
  }
}
