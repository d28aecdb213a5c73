import type { Chain } from './chain.ts'
import { patiently } from './sandbox/patience.ts'
import type { Registration } from './sandbox/protocol.ts'

/** The shortest stretch that a handler is given, in milliseconds. */
const LEAST_MS = 50

/** What one handler is run on. */
export interface RunStart {
  readonly registration: Registration
  /** The handler's place among the registrations. */
  readonly handler: number
  /** JSON. */
  readonly event: string
  readonly chain: Chain
  /** Another handler may wait for this one, so that it has to begin at once. */
  readonly isUrgent: boolean
}

/** One handler on its way from an event to its end. */
export class Run {
  readonly start: RunStart
  /** What the handler returned; rejects with why it failed. */
  readonly result: Promise<unknown>
  isOver = false
  /** Calls that are under way. */
  calls = 0
  #resolve: (value: unknown) => void = () => undefined
  #reject: (reason: Error) => void = () => undefined
  #calm: () => void = () => undefined
  #late: () => void = () => undefined
  /** What the handler may still take, in milliseconds. */
  #left = Infinity
  /** Since when it waits for others. */
  #waitsSince: number | undefined

  constructor(start: RunStart) {
    this.start = start
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** From now on the handler has `ms` milliseconds. */
  begin(ms: number, late: () => void): void {
    this.#left = ms
    this.#late = late
  }

  /**
   * Others have answered: until its next stretch is over nothing counts but the processor time of that. Where they answer
   * so fast that no timer comes in between, the handler is found to be late here.
   */
  proceed(): void {
    this.#calm()
    if (this.#waitsSince !== undefined) this.#left -= performance.now() - this.#waitsSince
    this.#waitsSince = undefined
    if (this.#left <= -LEAST_MS) this.#late()
  }

  /** A stretch is over that took `used` milliseconds of a processor: now the handler waits for others. */
  wait(used: number): void {
    if (this.isOver) return
    this.#left -= used
    this.#waitsSince = performance.now()
    this.#calm()
    this.#calm = patiently(Math.max(0, this.#left), this.#late)
  }

  /** What a stretch of the handler may take; not so little that its last one would cost the sandbox. */
  left(): number {
    return Math.max(LEAST_MS, this.#left)
  }

  finish(value: unknown): void {
    this.#end(() => this.#resolve(value))
  }

  fail(reason: Error): void {
    this.#end(() => this.#reject(reason))
  }

  #end(tell: () => void): void {
    if (this.isOver) return
    this.isOver = true
    this.#calm()
    tell()
  }
}
