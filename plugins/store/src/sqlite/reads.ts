import { Connection, type ConnectionOptions } from './connection.ts'
import type { SqliteFunction } from './functions.ts'

/**
 * Reads happen at once and so never overlap. While nothing is being written they share the connection of the writer:
 * its own commits leave its cache as it is, while every commit empties the caches of all other connections. What is
 * read while a transaction is open goes over a connection that does not see it, and keeps few pages: the cache that is
 * worth its memory is the writer's.
 */
export class Reads {
  readonly #options: ConnectionOptions
  readonly #writing: Connection
  #reading: Connection | undefined

  constructor(options: ConnectionOptions, writing: Connection) {
    this.#options = options
    this.#writing = writing
  }

  /** The connection for the next read. */
  get connection(): Connection {
    return this.#writing.inTransaction ? this.apart : this.#writing
  }

  /** A connection that sees every commit there is, and is never the writer's. */
  get apart(): Connection {
    return (this.#reading ??= new Connection({ ...this.#options, readonly: true, isFrugal: true }))
  }

  /** Takes up functions where its connection is open already. */
  learn(functions: ReadonlyMap<string, SqliteFunction>): void {
    this.#reading?.learn(functions)
  }

  /** The writer's own connection stays open. */
  close(): void {
    this.#reading?.close()
  }
}
