/** One wait that ends by `expire`, unless it is stopped before. */
export interface Deadline {
  /** When it is over, in milliseconds of a monotonic clock. */
  due: number
  readonly expire: () => void
}

/**
 * Waits that all last equally long: the order of their starts is the order of their ends, so that one timer
 * serves all of them, however many requests there are in a second.
 */
export class Deadlines {
  readonly #milliseconds: number
  readonly #waiting = new Set<Deadline>()
  #timer: NodeJS.Timeout | undefined

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds
  }

  /** Begins, or begins anew. */
  start(deadline: Deadline): void {
    deadline.due = performance.now() + this.#milliseconds
    this.#waiting.delete(deadline)
    this.#waiting.add(deadline)
    if (this.#timer === undefined) this.#timer = this.#arm(this.#milliseconds)
  }

  stop(deadline: Deadline): void {
    this.#waiting.delete(deadline)
  }

  #arm(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.#sweep(), Math.ceil(milliseconds)).unref()
  }

  #sweep(): void {
    this.#timer = undefined
    const now = performance.now()
    for (const deadline of this.#waiting) {
      if (deadline.due > now) {
        this.#timer = this.#arm(deadline.due - now)
        return
      }
      this.#waiting.delete(deadline)
      deadline.expire()
    }
  }
}
