/** One wait that ends by `expire`, unless it is stopped before. */
export abstract class Deadline {
  /** When it is over, in milliseconds of a monotonic clock. */
  due = 0
  /** The waits that began before and after it; itself where it does not wait. */
  earlier: Deadline = this
  later: Deadline = this

  abstract expire(): void
}

/** Stands before the first wait and after the last. */
class Ends extends Deadline {
  expire(): void {}
}

/**
 * Waits that all last equally long: the order of their starts is the order of their ends, so that one timer and a
 * chain serve all of them, however many requests there are in a second.
 */
export class Deadlines {
  readonly #milliseconds: number
  readonly #ends: Deadline = new Ends()
  #timer: NodeJS.Timeout | undefined

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds
  }

  /** Begins, or begins anew. */
  start(deadline: Deadline): void {
    this.stop(deadline)
    deadline.due = performance.now() + this.#milliseconds
    const ends = this.#ends
    deadline.earlier = ends.earlier
    deadline.later = ends
    ends.earlier.later = deadline
    ends.earlier = deadline
    if (this.#timer === undefined) this.#timer = this.#arm(this.#milliseconds)
  }

  stop(deadline: Deadline): void {
    deadline.earlier.later = deadline.later
    deadline.later.earlier = deadline.earlier
    deadline.earlier = deadline
    deadline.later = deadline
  }

  #arm(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.#sweep(), Math.ceil(milliseconds)).unref()
  }

  #sweep(): void {
    this.#timer = undefined
    const now = performance.now()
    for (let first = this.#ends.later; first !== this.#ends; first = this.#ends.later) {
      if (first.due > now) {
        this.#timer = this.#arm(first.due - now)
        return
      }
      this.stop(first)
      first.expire()
    }
  }
}
