import { Connection, type ConnectionOptions } from './connection.ts'
import type { SqliteFunction } from './functions.ts'

/**
 * How long reads share a view, in milliseconds. A turn of the event loop is as long as the machine is busy, and it may
 * take in a request that was sent after another process has answered for a commit; nobody is told of a commit and asks
 * here within this time.
 */
const VIEW_MS = 0.1

/**
 * Reads happen at once and so never overlap. While nothing is being written they share the connection of the writer:
 * its own commits leave its cache as it is, while every commit empties the caches of all other connections. What is
 * read while a transaction is open goes over a connection that does not see it, and keeps few pages: the cache that is
 * worth its memory is the writer's.
 *
 * The reads of one turn of the event loop share a view of the database: to begin and end a view takes SQLite a third
 * of the time that it takes to read a row by its key. A commit of this process ends the view, and so does a moment that
 * has passed: a read never misses what was written before it was asked for, by this process or by another.
 */
export class Reads {
  readonly #options: ConnectionOptions
  readonly #writing: Connection
  #reading: Connection | undefined
  /** How many commits of this process the reading connection knows of. */
  #commits = 0
  #isEnding = false
  /** When the views of this moment began. */
  #viewedAt = 0

  constructor(options: ConnectionOptions, writing: Connection) {
    this.#options = options
    this.#writing = writing
  }

  /** The connection for the next read. */
  get connection(): Connection {
    return this.#writing.isWriting ? this.apart : this.#viewed(this.#writing)
  }

  /** The same, and never the writer's. */
  get apart(): Connection {
    const reading = this.#own
    if (this.#commits !== this.#writing.commits) this.#renew(reading)
    return this.#viewed(reading)
  }

  /** A connection for a read that must see every commit there is, as later reads do then; it is never the writer's. */
  get fresh(): Connection {
    const reading = this.#own
    this.#writing.endView()
    this.#renew(reading)
    return reading
  }

  /** Takes up functions where its connection is open already. */
  learn(functions: ReadonlyMap<string, SqliteFunction>): void {
    this.#reading?.learn(functions)
  }

  /** The writer's own connection stays open. */
  close(): void {
    this.#writing.endView()
    this.#reading?.endView()
    this.#reading?.close()
  }

  get #own(): Connection {
    return (this.#reading ??= new Connection({ ...this.#options, readonly: true, isFrugal: true }))
  }

  #viewed(connection: Connection): Connection {
    const now = performance.now()
    if (this.#isEnding && now - this.#viewedAt > VIEW_MS) this.#endViews(now)
    connection.view()
    if (!this.#isEnding) {
      this.#isEnding = true
      this.#viewedAt = now
      setImmediate(this.#endTurn)
    }
    return connection
  }

  #renew(reading: Connection): void {
    reading.endView()
    this.#commits = this.#writing.commits
  }

  readonly #endTurn = (): void => {
    this.#isEnding = false
    this.#endViews(0)
  }

  #endViews(now: number): void {
    this.#viewedAt = now
    this.#writing.endView()
    this.#reading?.endView()
  }
}
