import { setTimeout as pause } from 'node:timers/promises'
import type { Asking } from '../../auth/oauth/endpoint.ts'

/** How long a broker may take to say good-bye, in milliseconds. */
const CLOSING_MS = 1000
/** How long one may take until a connection to it can be used, in milliseconds. */
export const OPENING_MS = 15_000

/** A connection that is kept for whoever publishes next. */
export interface Opened {
  /** Settles once it is over, however that came about. */
  readonly over: Promise<unknown>
  close(): Promise<void>
}

/** One connection at a time, opened when it is needed, and anew when it is over: for all who want it, so that nobody's leaving ends it. */
export class Link<T extends Opened> {
  readonly #open: (asking: Asking) => Promise<T>
  readonly #closed = new AbortController()
  #current: Promise<T> | undefined
  /** Whether the current one is there. */
  #isOpen = false

  constructor(open: (asking: Asking) => Promise<T>) {
    this.#open = open
  }

  /** Does something over the connection, unless `signal` has told by then that nobody waits for it. */
  async use<R>(signal: AbortSignal, work: (opened: T) => Promise<R>): Promise<R> {
    const opened = await (this.#current ??= this.#opened())
    try {
      signal.throwIfAborted()
      return await work(opened)
    } finally {
      // Nobody else closes what was opened behind the end of its model.
      if (this.#closed.signal.aborted) await opened.close()
    }
  }

  /**
   * Gives the connection up: what comes next opens another one. That it is closed is waited for by nobody. One that is
   * being opened has a limit of its own, and others may have more patience.
   */
  drop(): void {
    if (this.#isOpen) void this.#closing()
  }

  /** Ends it for good, within a second: a broker that does not answer is left. */
  async close(): Promise<void> {
    this.#closed.abort()
    await Promise.race([this.#closing(), pause(CLOSING_MS, undefined, { ref: false })])
  }

  async #closing(): Promise<void> {
    const mine = this.#current
    this.#current = undefined
    this.#isOpen = false
    await mine?.then((opened) => opened.close()).catch(() => undefined)
  }

  #opened(): Promise<T> {
    const mine: Promise<T> = this.#open({ signal: this.#closed.signal, timeoutMs: OPENING_MS })
    const forget = () => {
      if (this.#current !== mine) return
      this.#current = undefined
      this.#isOpen = false
    }
    mine.then((opened) => {
      this.#isOpen ||= this.#current === mine
      opened.over.then(forget, forget)
    }, forget)
    return mine
  }
}
