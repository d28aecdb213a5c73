import type { Logger } from '@svc/kernel'
import type { Row, Store } from '@svc/store/contract'
import { AUDIT_TABLE } from './table.ts'

const FLUSH_MS = 100
const BATCH_ROWS = 500
/** Rows kept while the store is away: some megabytes. */
const MAX_WAITING = 10_000
const MAX_RETRY_MS = 5000
/** A stop must not lose rows to one failure that passes, and must not wait for a store that is gone. */
const LAST_TRIES = 3

/** What becomes a row. */
export interface Entry {
  /** Made when it is first asked for, behind the answer and many at a time; from then on the same. */
  readonly row: Row
}

/** Writes rows behind the requests that they tell of. */
export interface Journal {
  /** Takes an entry and returns at once. */
  add(entry: Entry): void
  /** Writes the rows that were added before; resolves also where the store does not take them. */
  flush(): Promise<void>
  /** Writes what waits, and tells the log what is lost. */
  close(): Promise<void>
}

/**
 * Makes a journal that writes 100 ms after the first row that waits, or once 500 do. While the store is away
 * it tries again, ever more slowly; beyond 10,000 rows the oldest are dropped. A row is written once, also
 * where the answer to a commit was lost.
 */
export function createJournal(store: Store, log: Logger): Journal {
  return new BatchJournal(store, log)
}

class BatchJournal implements Journal {
  readonly #store: Store
  readonly #log: Logger
  #waiting: Entry[] = []
  #added = 0
  /** Rows that are written or given up: the rows added before the n-th are settled when it reaches n. */
  #settled = 0
  #dropped = 0
  #failures = 0
  #isClosed = false
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<boolean> | undefined

  constructor(store: Store, log: Logger) {
    this.#store = store
    this.#log = log
  }

  add(entry: Entry): void {
    if (this.#isClosed) return this.#log.error({ lost: 1 }, 'audit.rows_lost')
    this.#waiting.push(entry)
    this.#added++
    this.#dropOldest()
    if (this.#waiting.length >= BATCH_ROWS && this.#failures === 0) void this.#writeNext()
    this.#schedule()
  }

  async flush(): Promise<void> {
    const goal = this.#added
    while (this.#settled < goal && (await this.#writeNext()));
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (let i = 0; i < LAST_TRIES; i++) await this.flush()
    clearTimeout(this.#timer)
    const lost = this.#waiting.length
    if (lost > 0) this.#log.error({ lost }, 'audit.rows_lost')
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
    const batch = this.#waiting.splice(0, BATCH_ROWS)
    try {
      const rows = batch.map(({ row }) => row)
      await this.#store.transaction((transaction) =>
        transaction.insertRows({ table: AUDIT_TABLE, rows, onConflict: 'ignore' }),
      )
    } catch (error) {
      this.#keepForLater(batch, error)
      return false
    }
    this.#settled += batch.length
    if (this.#failures > 0 || this.#dropped > 0) {
      this.#log.info({ dropped: this.#dropped }, 'audit.write_resumed')
    }
    this.#failures = 0
    this.#dropped = 0
    return true
  }

  #keepForLater(batch: readonly Entry[], error: unknown): void {
    this.#failures++
    this.#waiting = [...batch, ...this.#waiting]
    this.#dropOldest()
    this.#log.error({ err: error, waiting: this.#waiting.length }, 'audit.write_failed')
  }

  #dropOldest(): void {
    const excess = this.#waiting.length - MAX_WAITING
    if (excess <= 0) return
    if (this.#dropped === 0) this.#log.error({ waiting: MAX_WAITING }, 'audit.rows_dropped')
    if (excess === 1) this.#waiting.shift()
    else this.#waiting.splice(0, excess)
    this.#settled += excess
    this.#dropped += excess
  }
}
