import { errors } from '@svc/kernel'

/** What one who found no room is told to wait, in seconds. */
const RETRY_AFTER = '5'

/** Lets a few works run at once, in the order in which they came; the others wait for their turn. */
export class Turns {
  #free: number
  readonly #patience: number
  readonly #waiting = new Set<() => void>()

  /** `patience`: how long one waits, in milliseconds. */
  constructor(most: number, patience: number) {
    this.#free = most
    this.#patience = patience
  }

  /** Runs a work when its turn has come. Throws UNAVAILABLE with `Retry-After` where others take too long. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await this.#wait()
    try {
      return await work()
    } finally {
      this.#pass()
    }
  }

  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(begin)
        reject(tooMany())
      }, this.#patience)
      this.#waiting.add(begin)
    })
  }

  /** The turn goes to the one who has waited longest. */
  #pass(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free += 1
      return
    }
    this.#waiting.delete(next)
    next()
  }
}

const tooMany = () =>
  errors.UNAVAILABLE({
    message: 'Too many large writes are under way: try again',
    headers: { 'Retry-After': RETRY_AFTER },
  })
