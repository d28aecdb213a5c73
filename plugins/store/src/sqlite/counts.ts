import { LRUCache } from 'lru-cache'
import type { Call } from '../compile/compiler.ts'
import type { Connection } from './connection.ts'
import { readCount } from './read.ts'

/** Far more than the lists that people look at in a moment. */
const KEPT = 1000

/**
 * Counts, each kept until somebody writes, be it another process.
 */
export class Counts {
  #version: string | undefined
  readonly #kept = new LRUCache<string, number>({ maxSize: KEPT, sizeCalculation: () => 1 })

  /** The count of a call as `connection` has it; `version` is the mark that the same other one reads each time. */
  read(version: string, connection: Connection, call: Call): number {
    if (version !== this.#version) {
      this.#version = version
      this.#kept.clear()
    }
    const key = `${call.statement.sql} ${JSON.stringify(call.values)}`
    const known = this.#kept.get(key)
    if (known !== undefined) return known
    // A commit between the two readings makes this count newer than its version, and it is read again after that.
    const count = readCount(connection, call)
    this.#kept.set(key, count)
    return count
  }
}

/** SQLite's own mark of what a connection reads: it changes with every commit to the file by another connection. */
export const dataVersion = (connection: Connection): string =>
  String(connection.all('pragma data_version')[0]?.['data_version'])
