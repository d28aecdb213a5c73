import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long work goes on before everybody else gets their turn of the event loop, in milliseconds. */
const LONGEST_MS = 10

/**
 * The present turn of work that never waits: SQLite answers at once, so that a transaction of many statements would
 * keep the process from all else, reading included.
 */
export class Turn {
  #began = performance.now()

  get isOver(): boolean {
    return performance.now() - this.#began > LONGEST_MS
  }

  /** Resolves in the next turn. */
  async next(): Promise<void> {
    await nextTurn()
    this.begin()
  }

  begin(): void {
    this.#began = performance.now()
  }
}

/**
 * The turn of reads, which are over at once too: somebody who reads again and again, and waits for nothing else, lets the others
 * have their turns.
 */
export class ReadingTurn {
  #began: number | undefined

  /** What is to be awaited before a read; undefined where nothing is. */
  enter(): Promise<void> | undefined {
    if (this.#began === undefined) {
      this.#began = performance.now()
      setImmediate(() => (this.#began = undefined))
      return undefined
    }
    return performance.now() - this.#began > LONGEST_MS ? nextTurn() : undefined
  }
}
