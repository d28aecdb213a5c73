import { setTimeout as pause } from 'node:timers/promises'
import type { Asking } from '../../auth/oauth/endpoint.ts'

/** How long a broker may take to say good-bye, in milliseconds. */
const CLOSING_MS = 1000

/** A connection that is kept for whoever publishes next. */
export interface Opened {
  /** Settles once it is over, however that came about. */
  readonly over: Promise<unknown>
  close(): Promise<void>
}

/** One connection at a time, opened when it is needed, and anew when it is over. */
export class Link<T extends Opened> {
  readonly #open: (asking: Asking) => Promise<T>
  #current: Promise<T> | undefined
  #isClosed = false

  constructor(open: (asking: Asking) => Promise<T>) {
    this.#open = open
  }

  /** Does something over the connection. */
  async use<R>(asking: Asking, work: (opened: T) => Promise<R>): Promise<R> {
    const mine = (this.#current ??= this.#opened(asking))
    const opened = await mine
    try {
      return await work(opened)
    } finally {
      // Nobody else closes what was opened behind the end of its model.
      if (this.#isClosed) await opened.close()
    }
  }

  /** Gives the connection up: what comes next opens another one. That it is closed is waited for by nobody. */
  drop(): void {
    void this.#closing()
  }

  /** Ends it for good, within a second: a broker that does not answer is left. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.race([this.#closing(), pause(CLOSING_MS, undefined, { ref: false })])
  }

  async #closing(): Promise<void> {
    const mine = this.#current
    this.#current = undefined
    await mine?.then((opened) => opened.close()).catch(() => undefined)
  }

  #opened(asking: Asking): Promise<T> {
    const mine: Promise<T> = this.#open(asking)
    const forget = () => {
      if (this.#current === mine) this.#current = undefined
    }
    mine.then((opened) => opened.over.then(forget, forget), forget)
    return mine
  }
}
