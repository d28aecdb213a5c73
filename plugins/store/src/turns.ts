import { errors } from '@svc/kernel'

/** What one who found no room is told to wait, in seconds: one of those that are under way has ended by then. */
const RETRY_AFTER = '5'

/** Lets a few works run at once, in the order in which they came; the others wait for their turn. */
export class Turns {
  #free: number
  readonly #patience: number
  readonly #refusal: string
  readonly #waiting = new Set<() => void>()

  /** `patience`: how long one waits, in milliseconds; `refusal` is what it hears after that. */
  constructor(most: number, patience: number, refusal: string) {
    this.#free = most
    this.#patience = patience
    this.#refusal = refusal
  }

  /** Whether somebody waits. */
  get isWaitedFor(): boolean {
    return this.#waiting.size > 0
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

  /** Begins a turn, which `leave` ends. Throws as `take` does. */
  async enter(): Promise<void> {
    if (this.#free > 0) this.#free -= 1
    else await this.#wait()
  }

  /** The turn goes to the one who has waited longest. */
  leave(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free += 1
      return
    }
    this.#waiting.delete(next)
    next()
  }

  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(begin)
        reject(errors.UNAVAILABLE({ message: this.#refusal, headers: { 'Retry-After': RETRY_AFTER } }))
      }, this.#patience)
      this.#waiting.add(begin)
    })
  }
}
