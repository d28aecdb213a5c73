import { errors } from '@svc/kernel'

/** What one who found no room is told to wait, in seconds: one of those that are under way has ended by then. */
const RETRY_AFTER = '5'

/** How many of those who go first may do so in a row while others wait. */
const IN_A_ROW = 4

/** Lets a few works run at once, in the order in which they came; the others wait for their turn. */
export class Turns {
  #free: number
  readonly #patience: number
  readonly #refusal: string
  readonly #waiting = new Set<() => void>()
  /** Those who go first. */
  readonly #ahead = new Set<() => void>()
  #row = 0

  /** `patience`: how long one waits, in milliseconds; `refusal` is what it hears after that. */
  constructor(most: number, patience: number, refusal: string) {
    this.#free = most
    this.#patience = patience
    this.#refusal = refusal
  }

  /** Whether somebody waits. */
  get isWaitedFor(): boolean {
    return this.#waiting.size + this.#ahead.size > 0
  }

  /** Runs a work when its turn has come. Throws UNAVAILABLE with `Retry-After` where others take too long. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    await this.enter()
    try {
      return await work()
    } finally {
      this.leave()
    }
  }

  /**
   * Begins a turn, which `leave` ends. Throws as `take` does. Who `goesFirst` is short, and waits for none of the others
   * but now and then.
   */
  async enter(goesFirst = false): Promise<void> {
    if (this.#free > 0) this.#free -= 1
    else await this.#wait(goesFirst ? this.#ahead : this.#waiting)
  }

  /** The turn goes to the one who has waited longest. */
  leave(): void {
    const isTheirs = this.#ahead.size > 0 && (this.#row < IN_A_ROW || this.#waiting.size === 0)
    this.#row = isTheirs ? this.#row + 1 : 0
    const line = isTheirs ? this.#ahead : this.#waiting
    const [next] = line
    if (next === undefined) {
      this.#free += 1
      return
    }
    line.delete(next)
    next()
  }

  #wait(line: Set<() => void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        line.delete(begin)
        reject(errors.UNAVAILABLE({ message: this.#refusal, headers: { 'Retry-After': RETRY_AFTER } }))
      }, this.#patience)
      line.add(begin)
    })
  }
}
