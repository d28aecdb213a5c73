import type { Logger } from '@svc/kernel'
import type { Store } from '@svc/store/contract'
import { type AnsweredRequest, Batch } from './batch.ts'
import { AUDIT_TABLE } from './table.ts'

const FLUSH_MS = 100
const BATCH_SIZE = 500
/** Requests kept while the store is away. */
const MAX_WAITING = 10_000
const MAX_RETRY_MS = 5000
/** A stop must not lose rows to one failure that passes, and must not wait for a store that is gone. */
const LAST_TRIES = 3

/** Writes down requests behind their answers. */
export interface Journal {
  /** Takes a request and returns at once. */
  add(request: AnsweredRequest): void
  /** Writes the requests that were added before; resolves also where the store does not take them. */
  flush(): Promise<void>
  /** Writes what waits, and tells the log what is lost. */
  close(): Promise<void>
}

export interface JournalOptions {
  readonly store: Store
  readonly log: Logger
  readonly newId: () => string
}

/**
 * Makes a journal that writes 100 ms after the first request that waits, or once 500 do. While the store is away it tries
 * again, ever more slowly; beyond 10,000 requests the oldest are dropped, a batch of 500 at a time. A request is written
 * once, also where the answer to a commit was lost.
 */
export function createJournal(options: JournalOptions): Journal {
  return new BatchJournal(options)
}

class BatchJournal implements Journal {
  readonly #store: Store
  readonly #log: Logger
  readonly #newId: () => string
  /** Batches that wait, the oldest first; the last one takes what is added. */
  #waiting: Batch[] = []
  #added = 0
  /** Requests that are written or given up: those added before the n-th are settled when it reaches n. */
  #settled = 0
  #dropped = 0
  #failures = 0
  #isClosed = false
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<boolean> | undefined

  constructor({ store, log, newId }: JournalOptions) {
    this.#store = store
    this.#log = log
    this.#newId = newId
  }

  add(request: AnsweredRequest): void {
    if (this.#isClosed) return this.#log.error({ lost: 1 }, 'audit.requests_lost')
    const batch = this.#filling()
    batch.add(request)
    this.#added++
    if (batch.size === BATCH_SIZE) {
      this.#dropOldest()
      if (this.#failures === 0) void this.#writeNext()
    }
    this.#schedule()
  }

  #filling(): Batch {
    const last = this.#waiting.at(-1)
    if (last !== undefined && last.isOpen && last.size < BATCH_SIZE) return last
    const batch = new Batch(this.#newId)
    this.#waiting.push(batch)
    return batch
  }

  async flush(): Promise<void> {
    const goal = this.#added
    while (this.#settled < goal && (await this.#writeNext()));
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (let i = 0; i < LAST_TRIES; i++) await this.flush()
    clearTimeout(this.#timer)
    const lost = sizeOf(this.#waiting)
    if (lost > 0) this.#log.error({ lost }, 'audit.requests_lost')
  }

  #schedule(): void {
    const delay = Math.min(FLUSH_MS * 2 ** this.#failures, MAX_RETRY_MS)
    this.#timer ??= setTimeout(() => void this.#run(), delay)
  }

  async #run(): Promise<void> {
    this.#timer = undefined
    await this.flush()
    if (this.#waiting.length > 0 && !this.#isClosed) this.#schedule()
  }

  /** Writes one batch; who comes while one is on its way waits for that one. Answers whether it is written. */
  #writeNext(): Promise<boolean> {
    return (this.#writing ??= this.#writeBatch().finally(() => {
      this.#writing = undefined
    }))
  }

  async #writeBatch(): Promise<boolean> {
    const batch = this.#waiting.shift()
    if (batch === undefined) return false
    try {
      await this.#store.transaction((transaction) =>
        transaction.insertRows({ table: AUDIT_TABLE, rows: batch.rows, onConflict: 'ignore' }),
      )
    } catch (error) {
      this.#keepForLater(batch, error)
      return false
    }
    this.#settled += batch.size
    if (this.#failures > 0 || this.#dropped > 0) {
      this.#log.info({ dropped: this.#dropped }, 'audit.write_resumed')
    }
    this.#failures = 0
    this.#dropped = 0
    return true
  }

  #keepForLater(batch: Batch, error: unknown): void {
    this.#failures++
    this.#waiting.unshift(batch)
    this.#dropOldest()
    this.#log.error({ err: error, waiting: sizeOf(this.#waiting) }, 'audit.write_failed')
  }

  #dropOldest(): void {
    while (sizeOf(this.#waiting) > MAX_WAITING) {
      if (this.#dropped === 0) this.#log.error({ waiting: MAX_WAITING }, 'audit.requests_dropped')
      const { size } = this.#waiting.shift()!
      this.#settled += size
      this.#dropped += size
    }
  }
}

const sizeOf = (batches: readonly Batch[]): number => batches.reduce((sum, { size }) => sum + size, 0)
