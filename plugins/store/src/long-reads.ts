import { errors } from '@svc/kernel'
import type { Part } from './part.ts'
import type { Row } from './plan.ts'
import { Turns } from './turns.ts'

/** What long reads may take, in milliseconds but for their number. */
export interface LongReadLimits {
  /** How many run at once. */
  readonly most: number
  /** How long one more waits for its turn. */
  readonly wait: number
  /** How long one may leave the rows untaken that it was handed. */
  readonly idle: number
  /** How long one may take in all. */
  readonly longest: number
}

/** While others wait, the reader that has stood still for longest, and for so long, makes room for them. */
const GIVES_WAY_MS = 3000
/** How often that is looked for. */
const LOOK_MS = 250

/**
 * Lets a few long reads run at once; one more waits for its turn. Each holds a connection and a snapshot, which keeps
 * what was written since then from being cleared away: a reader that stands still is ended.
 */
export class LongReads {
  readonly #limits: LongReadLimits
  readonly #running = new Set<Reading>()
  readonly #turns: Turns
  #look: NodeJS.Timeout | undefined

  constructor(limits: LongReadLimits) {
    this.#limits = limits
    this.#turns = new Turns(limits.most, limits.wait, 'Too many long reads are under way: try again')
  }

  /**
   * Yields the rows that `open` reads in chunks of `size` at most. The reading is over, and the turn of the next one begins,
   * before the last of them are handed out. Throws UNAVAILABLE with `Retry-After` where others take
   * too long, and UNAVAILABLE once its own reader has taken too long.
   */
  async *read(size: number, open: () => AsyncGenerator<Part>): AsyncGenerator<readonly Row[], void> {
    if (!Number.isSafeInteger(size) || size < 1) {
      throw new RangeError(`a chunk has a whole number of rows, not ${String(size)}`)
    }
    await this.#enter()
    const parts = open()
    const reading = this.#begin(parts)
    let last: readonly Row[] = []
    try {
      for (;;) {
        const { value: part, done } = await parts.next()
        if (done === true) break
        if (part.isLast) {
          last = part.rows
          break
        }
        reading.rest()
        yield part.rows
        reading.goOn()
      }
    } finally {
      await reading.end()
    }
    if (last.length > 0) yield last
  }

  #begin(parts: AsyncGenerator<unknown>): Reading {
    const reading = new Reading(this.#limits, async () => {
      this.#running.delete(reading)
      // What the rows failed with has been told already.
      await parts.return(undefined).catch(() => undefined)
      this.#turns.leave()
    })
    this.#running.add(reading)
    return reading
  }

  /** While one waits, it is looked for who may make room. */
  async #enter(): Promise<void> {
    const turn = this.#turns.enter()
    if (this.#turns.isWaitedFor) this.#look ??= setInterval(() => this.#makeRoom(), LOOK_MS)
    try {
      await turn
    } finally {
      if (!this.#turns.isWaitedFor) {
        clearInterval(this.#look)
        this.#look = undefined
      }
    }
  }

  #makeRoom(): void {
    const [longest] = [...this.#running].sort((a, b) => b.restedMs - a.restedMs)
    if (longest !== undefined && longest.restedMs >= GIVES_WAY_MS)
      longest.stop('The rows were not taken while others waited')
  }
}

/** One long read under way. */
class Reading {
  readonly #limits: LongReadLimits
  readonly #release: () => Promise<void>
  readonly #longest: NodeJS.Timeout
  #idle: NodeJS.Timeout | undefined
  #restsSince: number | undefined
  #reason: string | undefined
  #ending: Promise<void> | undefined

  constructor(limits: LongReadLimits, release: () => Promise<void>) {
    this.#limits = limits
    this.#release = release
    this.#longest = setTimeout(
      () => this.stop(`The reading took longer than ${limits.longest} ms`),
      limits.longest,
    ).unref()
  }

  /** How long the rows that were handed out have not been taken, in milliseconds. */
  get restedMs(): number {
    return this.#restsSince === undefined ? 0 : performance.now() - this.#restsSince
  }

  /** Rows are handed out, and nothing happens until more are asked for. */
  rest(): void {
    this.#assertGoing()
    this.#restsSince = performance.now()
    const { idle } = this.#limits
    this.#idle = setTimeout(() => this.stop(`The rows were not taken for ${idle} ms`), idle).unref()
  }

  /** More rows are asked for. Throws UNAVAILABLE where it is too late for that. */
  goOn(): void {
    clearTimeout(this.#idle)
    this.#restsSince = undefined
    this.#assertGoing()
  }

  /** Ends the reading, at once where it rests and else before it rests again. */
  stop(reason: string): void {
    this.#reason ??= reason
    if (this.#restsSince !== undefined) void this.end()
  }

  /** Gives back what it holds. */
  end(): Promise<void> {
    clearTimeout(this.#idle)
    clearTimeout(this.#longest)
    return (this.#ending ??= this.#release())
  }

  #assertGoing(): void {
    if (this.#reason !== undefined) throw errors.UNAVAILABLE({ message: `${this.#reason}: begin anew` })
  }
}
