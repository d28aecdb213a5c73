import { errors } from '@svc/kernel'

/** What one who found no room is told to wait, in seconds: a long read that has ended by then makes room. */
const RETRY_AFTER = '5'

/** Lets a few long reads run at once; one more waits for its turn. */
export class LongReads {
  #free: number
  readonly #patience: number
  readonly #waiting = new Set<() => void>()

  /** `patience`: how long one waits, in milliseconds. */
  constructor(most: number, patience: number) {
    this.#free = most
    this.#patience = patience
  }

  /**
   * Yields what `open` reads in chunks of `size` rows. A chunk that is not full is the last: its reading is over, and
   * the turn of the next one begins, before it is handed out. Throws UNAVAILABLE with `Retry-After` where others take
   * too long.
   */
  async *read<Row>(
    size: number,
    open: () => AsyncIterable<readonly Row[]>,
  ): AsyncGenerator<readonly Row[], void> {
    if (!Number.isSafeInteger(size) || size < 1) {
      throw new RangeError(`a chunk has a whole number of rows, not ${String(size)}`)
    }
    await this.#enter()
    let last: readonly Row[] = []
    try {
      for await (const chunk of open()) {
        if (chunk.length < size) {
          last = chunk
          break
        }
        yield chunk
      }
    } finally {
      this.#leave()
    }
    if (last.length > 0) yield last
  }

  async #enter(): Promise<void> {
    if (this.#free > 0) this.#free -= 1
    else await this.#wait()
  }

  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(enter)
        reject(
          errors.UNAVAILABLE({
            message: 'Too many long reads are under way: try again',
            headers: { 'Retry-After': RETRY_AFTER },
          }),
        )
      }, this.#patience)
      this.#waiting.add(enter)
    })
  }

  /** The turn goes to the one who has waited longest. */
  #leave(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free += 1
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
