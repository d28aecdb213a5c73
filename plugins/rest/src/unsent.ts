import type { ServerResponse } from 'node:http'
import type { Logger } from '@svc/kernel'

/** Answers that are smaller than this are not counted: the system takes them at once from any client that reads. */
const COUNTED = 16_384

/** How long a client may take for an answer, in milliseconds, before others go first. */
const GRACE_MS = 1000

/** An answer that has not left; its size is in bytes, or in the characters of a text. */
interface Waiting {
  readonly size: number
  readonly since: number
}

/** The answers that are made and have not left, since their clients do not read as fast as they ask. */
export class UnsentAnswers {
  readonly #limit: number
  readonly #log: Logger
  /** The oldest first. */
  readonly #waiting = new Map<ServerResponse, Waiting>()
  #size = 0

  constructor(limit: number, log: Logger) {
    this.#limit = limit
    this.#log = log
  }

  /** Counts an answer of this size once it was given to its connection, until it has left or the connection is gone. */
  expect(response: ServerResponse, size = Infinity): void {
    if (size >= COUNTED) setImmediate(() => this.#add(response))
  }

  #add(response: ServerResponse): void {
    const size = response.writableLength
    if (size < COUNTED || response.destroyed || this.#waiting.has(response)) return
    this.#waiting.set(response, { size, since: performance.now() })
    this.#size += size
    response.once('close', () => this.#remove(response))
  }

  /** Whether an answer of this size can wait; a small one always can. */
  takes(size: number): boolean {
    return size < COUNTED || this.hasRoom()
  }

  /** Whether there is room for one more; where there is none, the clients that have taken longest are ended first. */
  hasRoom(): boolean {
    if (this.#size <= this.#limit) return true
    const before = performance.now() - GRACE_MS
    for (const [response, { size, since }] of this.#waiting) {
      if (since > before || this.#size <= this.#limit) break
      this.#log.info({ remote: response.socket?.remoteAddress, unsent: size }, 'rest.reader_ended')
      this.#remove(response)
      response.destroy()
    }
    return this.#size <= this.#limit
  }

  #remove(response: ServerResponse): void {
    this.#size -= this.#waiting.get(response)?.size ?? 0
    this.#waiting.delete(response)
  }
}
