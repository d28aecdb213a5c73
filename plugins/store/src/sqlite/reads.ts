import { Connection, type ConnectionOptions } from './connection.ts'

/**
 * The reads of one turn of the event loop share one view of the database: to begin and end a view takes SQLite a third
 * of the time that it takes to read a row by its key. A commit of this process ends the view, so that a read never
 * misses what was written before it was asked for; a commit of another process is seen from the next turn on, which
 * is when a request that was sent after it can arrive.
 */
export class Reads {
  readonly #connection: Connection
  readonly #writing: Pick<Connection, 'commits'>
  /** Reads of this turn, or since the last commit of this process. */
  #count = 0
  #commits = 0
  #isEnding = false

  constructor(options: ConnectionOptions, writing: Pick<Connection, 'commits'>) {
    this.#connection = new Connection({ ...options, readonly: true })
    this.#writing = writing
  }

  /** The connection for the next read. Reads happen at once and so never overlap: one connection serves them all. */
  get connection(): Connection {
    if (this.#commits !== this.#writing.commits) this.#end()
    this.#count += 1
    // A turn with a single read needs no view of its own.
    if (this.#count === 2) this.#connection.run('begin')
    if (!this.#isEnding) {
      this.#isEnding = true
      setImmediate(this.#endTurn)
    }
    return this.#connection
  }

  /** The connection for a read that must see every commit there is. */
  get fresh(): Connection {
    this.#end()
    return this.#connection
  }

  close(): void {
    this.#end()
    this.#connection.close()
  }

  readonly #endTurn = (): void => {
    this.#isEnding = false
    this.#end()
  }

  #end(): void {
    const isOpen = this.#count > 1
    this.#count = 0
    this.#commits = this.#writing.commits
    if (isOpen && this.#connection.inTransaction) this.#connection.run('commit')
  }
}
