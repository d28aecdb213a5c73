import { renderFailed, tooMany } from '../errors.ts'
import { type Bounds, Child, type Loss, type Outcome } from './child.ts'
import type { Job, Made } from './protocol.ts'

export interface PoolOptions extends Bounds {
  /** How many files are made at once. */
  readonly workers: number
  /** How many may wait for that. */
  readonly queue: number
  /** Told what went wrong where that is nobody's data. */
  failed(fault: string): void
}

interface Waiting {
  readonly job: Job
  resolve(made: Made): void
  reject(error: Error): void
}

/** What a resting worker may hold: one that holds more makes room for a new one. */
const RESTING_BYTES = 320 * 1024 * 1024

/** How long a worker waits for the next file before it ends, in milliseconds. */
const IDLE_MS = 120_000

/** Shares files out to a few processes. These begin when they are needed. */
export class Pool {
  readonly #options: PoolOptions
  readonly #waiting: Waiting[] = []
  readonly #idle: { readonly child: Child; readonly timer: NodeJS.Timeout }[] = []
  readonly #busy = new Set<Child>()
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** Makes a file. Rejects with UNAVAILABLE where too many wait, and with RENDER_FAILED where none can be made. */
  make(job: Job): Promise<Made> {
    const { workers, queue } = this.#options
    const isFull = this.#busy.size >= workers && this.#waiting.length >= queue
    if (isFull || this.#isClosed) return Promise.reject(tooMany(this.#waiting.length, RETRY_SECONDS))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject })
      this.#next()
    })
  }

  /** Ends all workers; what waits is refused. */
  close(): void {
    this.#isClosed = true
    for (const { reject } of this.#waiting.splice(0)) reject(tooMany(0, RETRY_SECONDS))
    for (const { child, timer } of this.#idle.splice(0)) {
      clearTimeout(timer)
      child.end()
    }
    for (const child of this.#busy) child.end()
  }

  #next(): void {
    if (this.#busy.size >= this.#options.workers) return
    const waiting = this.#waiting.shift()
    if (waiting === undefined) return
    const child = this.#child()
    this.#busy.add(child)
    void child.make(waiting.job).then((outcome) => {
      this.#busy.delete(child)
      this.#rest(child, outcome)
      this.#tell(waiting, outcome)
      this.#next()
    })
  }

  #child(): Child {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      clearTimeout(idle.timer)
      if (!idle.child.hasEnded) return idle.child
    }
    return new Child(this.#options)
  }

  #rest(child: Child, outcome: Outcome): void {
    if (this.#isClosed || 'loss' in outcome || outcome.held > RESTING_BYTES) return child.end()
    const timer = setTimeout(() => {
      this.#idle.splice(
        this.#idle.findIndex((one) => one.child === child),
        1,
      )
      child.end()
    }, IDLE_MS)
    timer.unref()
    this.#idle.push({ child, timer })
  }

  #tell({ job, resolve, reject }: Waiting, outcome: Outcome): void {
    if ('bytes' in outcome) return resolve({ bytes: outcome.bytes, lost: outcome.lost })
    if ('loss' in outcome) {
      if (this.#isClosed) return reject(tooMany(0, RETRY_SECONDS))
      if (outcome.loss === 'end') this.#options.failed(`the worker ended over a ${job.format}`)
      return reject(renderFailed(LOSSES[outcome.loss](this.#options)))
    }
    this.#options.failed(outcome.fault)
    reject(renderFailed('cannot be made of this data'))
  }
}

const LOSSES: Readonly<Record<Loss, (bounds: Bounds) => string>> = {
  time: ({ deadline }) => `takes longer than ${deadline / 1000} s to make`,
  memory: ({ memory }) => `needs more than ${Math.floor(memory / 1024 / 1024)} MiB of memory to make`,
  end: () => 'cannot be made of this data',
}

const RETRY_SECONDS = 5
