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
  #endsAt = Infinity

  constructor(start: RunStart) {
    this.start = start
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** From now on the handler has `ms` milliseconds. */
  begin(ms: number, late: () => void): void {
    this.#endsAt = performance.now() + ms
    this.#calm = patiently(ms, late)
  }

  /** What a stretch of the handler may take; not so little that its last one would cost the sandbox. */
  left(): number {
    return Math.max(LEAST_MS, this.#endsAt - performance.now())
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
