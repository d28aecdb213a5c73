import type { Call } from '../compile/compiler.ts'
import type { Row } from '../plan.ts'
import type { RawRows } from '../rows.ts'
import { Chunks } from './chunks.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { faultOf } from './faults.ts'
import { patiently } from './patience.ts'
import { decoded } from './read.ts'
import { MORE } from './thread/protocol.ts'
import { Thread } from './thread/thread.ts'

/** A statement that is read part by part, over a connection of its own. */
interface Reading {
  /** The first rows: from then on the statement sees one state of the database. */
  begin(): RawRows | Promise<RawRows>
  next(): RawRows | Promise<RawRows>
  end(): void | Promise<void>
}

/** The rows of a call in chunks of `size`; `isAside`: a thread reads them, and nobody waits meanwhile. */
export async function* streamRows(
  options: ConnectionOptions,
  call: Call,
  { size, isAside }: { readonly size: number; readonly isAside: boolean },
): AsyncGenerator<readonly Row[]> {
  const reading = isAside ? aside(options, call, size) : await patiently(() => here(options, call, size))
  try {
    let chunk = await patiently(() => reading.begin())
    for (; chunk.length > 0; chunk = await reading.next()) yield decoded(chunk, call)
  } catch (error) {
    throw faultOf(error)
  } finally {
    await reading.end()
  }
}

function here(options: ConnectionOptions, { statement, values }: Call, size: number): Reading {
  const connection = new Connection(options)
  let chunks: Chunks | undefined
  return {
    begin: () => (chunks = new Chunks(connection.iterate(statement.sql, values), size)).next(),
    next: () => chunks!.next(),
    end() {
      chunks?.end()
      connection.close()
    },
  }
}

function aside(options: ConnectionOptions, { statement, values }: Call, size: number): Reading {
  // What connections learned later stays with them.
  const thread = new Thread({ ...options, learned: new Map() })
  return {
    begin: async () => (await thread.ask({ sql: statement.sql, values, size })).rows,
    next: async () => (await thread.ask(MORE)).rows,
    end: () => thread.end(),
  }
}
