import type { Arrival } from '@svc/kernel'

/** Tells what arrived together. */
export class Arrivals {
  #current: Look | undefined

  /** The arrival of a message that Node hands over as it reads it from its connection, and at no other time. */
  get current(): Arrival {
    if (this.#current === undefined) {
      const look = new Look()
      this.#current = look
      // The event loop comes to these once it has handed over all that a look at its connections found, and before the next look.
      setImmediate(() => {
        this.#current = undefined
        look.end()
      })
    }
    return this.#current
  }
}

/** One look of the event loop at its connections. */
class Look implements Arrival {
  #isOver = false
  readonly #listeners: (() => void)[] = []

  get isOver(): boolean {
    return this.#isOver
  }

  onceOver(listener: () => void): void {
    this.#listeners.push(listener)
  }

  end(): void {
    this.#isOver = true
    for (const listener of this.#listeners) listener()
  }
}
