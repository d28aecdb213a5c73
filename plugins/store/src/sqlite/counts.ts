import { LRUCache } from 'lru-cache'
import type { Call } from '../compile/compiler.ts'
import type { Connection } from './connection.ts'

/** Far more than the lists that people look at in a moment. */
const KEPT = 1000

/**
 * Counts, each kept until somebody writes, be it another process.
 */
export class Counts {
  #version: string | undefined
  readonly #kept = new LRUCache<string, number>({ maxSize: KEPT, sizeCalculation: () => 1 })

  /** What a call has counted; `version` is the mark that one and the same connection reads each time. */
  of(call: Call, version: string): number | undefined {
    if (version !== this.#version) {
      this.#version = version
      this.#kept.clear()
    }
    return this.#kept.get(keyOf(call))
  }

  /**
   * Keeps what a call has counted after it asked for a version: a commit between the two makes the count newer than that, and
   * it is read again after it.
   */
  keep(call: Call, version: string, count: number): void {
    if (version === this.#version) this.#kept.set(keyOf(call), count)
  }
}

const keyOf = ({ statement, values }: Call): string => `${statement.sql} ${JSON.stringify(values)}`

/** SQLite's own mark of what a connection reads: it changes with every commit to the file by another connection. */
export const dataVersion = (connection: Connection): string =>
  String(connection.all('pragma data_version')[0]?.['data_version'])
