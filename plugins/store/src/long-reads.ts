import { errors } from '@svc/kernel'

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

  /** Yields what `open` reads in chunks of `size`. Throws UNAVAILABLE where others take too long. */
  async *read<T>(size: number, open: () => AsyncIterable<T>): AsyncGenerator<T> {
    if (!Number.isSafeInteger(size) || size < 1) {
      throw new RangeError(`a chunk has a whole number of rows, not ${String(size)}`)
    }
    await this.#enter()
    try {
      yield* open()
    } finally {
      this.#leave()
    }
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
        reject(errors.UNAVAILABLE({ message: 'Too many long reads are under way: try again' }))
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
