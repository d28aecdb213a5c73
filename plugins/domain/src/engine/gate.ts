import { setTimeout as delay } from 'node:timers/promises'
import { errors } from '@svc/kernel'

/** How long an exchange waits for the writes that are under way, in milliseconds. */
const PATIENCE_MS = 20_000

/**
 * Lets a definition be exchanged between two requests: writes pass side by side, and wait outside while the
 * definition changes.
 */
export class Gate {
  #inside = 0
  #closed: Promise<void> | undefined
  #isHeld = false
  #becameEmpty: () => void = () => undefined
  /** Counts exchanges: who finds another number at its end than at its start has met both definitions. */
  epoch = 0
  /** True from the moment that the schema may be the new one, until the exchange is done or has failed. */
  isChanging = false

  /**
   * Lets a write in, at once or when the promise resolves. A write inside a write (`isInner`) passes a gate that
   * only waits to be empty: the outer one is inside already, and would wait for it for ever.
   */
  pass(isInner: boolean): Promise<void> | undefined {
    if (this.#isHeld || (this.#closed !== undefined && !isInner)) return this.#wait(isInner)
    this.#inside += 1
    return undefined
  }

  leave(): void {
    this.#inside -= 1
    if (this.#inside === 0) this.#becameEmpty()
  }

  /** Resolves when no exchange is under way. */
  async opened(): Promise<void> {
    while (this.#closed !== undefined) await this.#closed
  }

  /** Closes the gate, waits until everybody is out, runs `exchange`, and opens it again. */
  async exclusively<T>(exchange: () => Promise<T>): Promise<T> {
    await this.opened()
    let open: () => void = () => undefined
    this.#closed = new Promise((resolve) => (open = resolve))
    try {
      await this.#emptied()
      this.#isHeld = true
      return await exchange()
    } finally {
      this.#isHeld = false
      this.#closed = undefined
      this.isChanging = false
      open()
    }
  }

  async #wait(isInner: boolean): Promise<void> {
    while (this.#isHeld || (this.#closed !== undefined && !isInner)) await this.#closed
    this.#inside += 1
  }

  async #emptied(): Promise<void> {
    if (this.#inside === 0) return
    const patience = new AbortController()
    const empty = new Promise<'empty'>((resolve) => (this.#becameEmpty = () => resolve('empty')))
    const late = delay(PATIENCE_MS, 'late' as const, { signal: patience.signal }).catch(() => 'late' as const)
    const result = await Promise.race([empty, late])
    patience.abort()
    this.#becameEmpty = () => undefined
    if (result === 'late')
      throw errors.UNAVAILABLE({ message: 'Writes that are under way do not end: try again later' })
  }
}
