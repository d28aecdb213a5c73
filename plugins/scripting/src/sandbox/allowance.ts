import { processorTime } from './processor-time.ts'

/** How often the system moves the clock of a thread that keeps its processor, in milliseconds. */
const TICK_MS = 4
/** By how much a stretch may outlast its processor time, waiting for a processor. */
const PATIENCE = 20
/** A stretch is waited for so long in any case, in milliseconds. */
const LEAST_PATIENCE_MS = 10_000

/**
 * The processor time that a thread may take for one stretch, from now on. Time by the wall would end healthy scripts
 * where the machine has more to do than processors; it counts only where a stretch gets next to none.
 */
export class Allowance {
  readonly #clock: string | undefined
  readonly #ms: number
  readonly #usedBefore: number
  readonly #startedAt = performance.now()
  readonly #endsAt: number

  constructor(ms: number, clock: string | undefined) {
    this.#ms = ms
    this.#clock = clock
    this.#usedBefore = processorTime(clock)
    this.#endsAt = this.#startedAt + Math.max(ms * PATIENCE, LEAST_PATIENCE_MS)
  }

  /** What has been used of it, in milliseconds. A clock that stands between two ticks says nothing of less than one. */
  used(): number {
    const byTheWall = Math.min(performance.now() - this.#startedAt, TICK_MS)
    return Math.max(processorTime(this.#clock) - this.#usedBefore, byTheWall)
  }

  /** What is left of it, in milliseconds; 0 or less for nothing. No thread can use it up sooner than by the wall. */
  left(): number {
    return performance.now() > this.#endsAt ? 0 : this.#ms - this.used()
  }
}
