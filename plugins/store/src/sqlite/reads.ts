import type { Arrival } from '@svc/kernel'
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
  /** The latest one that something was read for. */
  #arrival: Arrival | undefined

  constructor(options: ConnectionOptions, writing: Connection) {
    this.#options = options
    this.#writing = writing
  }

  /** The connection for the next read. */
  get connection(): Connection {
    this.renew()
    return this.#writing.inTransaction ? this.apart : this.#writing
  }

  /**
   * The connection for a read that is done for an arrival. From the second one on they share a state of the file: to lock it
   * and to let it go are two calls of the system, which can take longer than all else that a read by key does.
   */
  of(arrival: Arrival | undefined): Connection {
    if (arrival === undefined || arrival.isOver) return this.connection
    const isFirst = this.#arrival !== arrival
    if (!isFirst && this.#writing.isHeld) return this.#writing
    this.#arrival = arrival
    const { connection } = this
    if (isFirst || connection !== this.#writing) return connection
    connection.hold()
    arrival.onceOver(() => connection.letGo())
    return connection
  }

  /** Has the next read see every commit there is, whatever it is done for: something was read by other means. */
  renew(): void {
    this.#writing.letGo()
  }

  /** A connection that sees every commit there is, and is never the writer's. */
  get apart(): Connection {
    this.renew()
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
