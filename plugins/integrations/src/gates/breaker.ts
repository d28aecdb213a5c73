import type { Environment } from '@svc/kernel'
import type { Condition, Row, Store, Table, Transaction } from '@svc/store/contract'
import type { BreakerPolicy } from '../policies.ts'
import { BREAKER } from '../tables/gates.ts'

/** What a breaker shows of itself. */
export interface BreakerState {
  readonly state: 'closed' | 'open' | 'half_open' | 'disabled'
  readonly failures: number
  readonly successes: number
  readonly openedAt: string | null
  readonly retryAt: string | null
}

/** How an attempt passes: in the usual way, or to find out whether the other side is back; or not, for so long. */
export type Passage = 'through' | 'probe' | { readonly waitMs: number }

/** How long what the shared row says is taken for true, in milliseconds. */
const KNOWN_MS = 500
/** How long a probe may be silent before another one goes, beyond the time of an attempt, in milliseconds. */
const PROBE_MS = 70_000
/** How long others wait while one finds out, in milliseconds. */
const WAIT_MS = 250

export const CLOSED: BreakerState = {
  state: 'closed',
  failures: 0,
  successes: 0,
  openedAt: null,
  retryAt: null,
}

/**
 * The breaker of an integration. Each process counts the failures that it sees; that it opens, is half open and closes again is one
 * row, which all servers share.
 */
export class Breaker {
  readonly #integration: string
  readonly #policy: BreakerPolicy
  readonly #table: Table
  readonly #store: Store
  readonly #env: Environment
  readonly #told: (state: BreakerState) => void
  #failures = 0
  #known: BreakerState = CLOSED
  #knownAt = -Infinity

  constructor(
    integration: string,
    policy: BreakerPolicy,
    table: Table,
    { store, env, told }: { store: Store; env: Environment; told: (state: BreakerState) => void },
  ) {
    this.#integration = integration
    this.#policy = policy
    this.#table = table
    this.#store = store
    this.#env = env
    this.#told = told
  }

  /** What it is like now, by the shared row. */
  async state(): Promise<BreakerState> {
    const state = await this.#read(this.#store)
    return state.state === 'closed' ? { ...state, failures: this.#failures } : state
  }

  /** For how long nothing is sent, in milliseconds: 0 where something may be tried. */
  async closedFor(): Promise<number> {
    if (performance.now() - this.#knownAt > KNOWN_MS) this.#know(await this.#read(this.#store))
    const { state, retryAt } = this.#known
    return state === 'open' ? Math.max(0, Date.parse(retryAt ?? '') - this.#env.now()) : 0
  }

  /** Asks to send something; `who` is the run that does. */
  async enter(who: string): Promise<Passage> {
    const waitMs = await this.closedFor()
    if (this.#known.state === 'closed') return 'through'
    if (waitMs > 0) return { waitMs }
    return this.#store.transaction((transaction) => this.#probe(who, transaction))
  }

  /** Takes note of an attempt that went well, or gave no sign of trouble on the other side. */
  async succeeded(passage: Passage): Promise<void> {
    this.#failures = 0
    if (passage !== 'probe') return
    const told = await this.#store.transaction(async (transaction) => {
      const { state, successes } = await this.#read(transaction, true)
      if (state !== 'half_open') return undefined
      const isBack = successes + 1 >= this.#policy.successThreshold
      const next: BreakerState = isBack
        ? CLOSED
        : { ...this.#known, state: 'half_open', successes: successes + 1 }
      await this.#write(next, transaction)
      return next
    })
    if (told) this.#tell(told)
  }

  /** Takes note of an attempt that failed on the other side. */
  async failed(passage: Passage): Promise<void> {
    this.#failures += 1
    if (passage !== 'probe' && this.#failures < this.#policy.failureThreshold) return
    const failures = this.#failures
    const told = await this.#store.transaction(async (transaction) => {
      const { state } = await this.#read(transaction, true)
      // Another server was quicker; what was under way before that changes nothing.
      if (state === 'open' || (state === 'half_open' && passage !== 'probe')) return undefined
      const now = this.#env.now()
      const next: BreakerState = {
        state: 'open',
        failures,
        successes: 0,
        openedAt: new Date(now).toISOString(),
        retryAt: new Date(now + this.#policy.openMs).toISOString(),
      }
      await this.#write(next, transaction)
      return next
    })
    if (told) this.#tell(told)
  }

  /** Gives a probe back that has found out nothing. */
  async gaveUp(passage: Passage): Promise<void> {
    if (passage !== 'probe') return
    await this.#store.transaction(async (transaction) => {
      const set = { probe: null, probeUntil: null }
      await transaction.update({ table: this.#table, set, where: this.#own() })
    })
  }

  #tell(state: BreakerState): void {
    if (state.state !== 'half_open') this.#failures = 0
    const isNew = state.state !== this.#known.state
    this.#know(state)
    if (isNew) this.#told(state)
  }

  #know(state: BreakerState): void {
    this.#known = state
    this.#knownAt = performance.now()
  }

  /** One at a time finds out, on all servers together. */
  async #probe(who: string, transaction: Transaction): Promise<Passage> {
    const now = this.#env.now()
    const [row] = await this.#rows(transaction, true)
    const state = stateOf(row)
    if (row === undefined || state.state === 'closed') {
      this.#know(state)
      return 'through'
    }
    const left = Date.parse(state.retryAt ?? '') - now
    if (state.state === 'open' && left > 0) return { waitMs: left }
    const until = row['probeUntil'] ?? null
    if (state.state === 'half_open' && until !== null && Date.parse(String(until)) > now)
      return { waitMs: WAIT_MS }
    const next: BreakerState = { ...state, state: 'half_open' }
    await this.#write(next, transaction, {
      probe: who,
      probeUntil: new Date(now + PROBE_MS).toISOString(),
    })
    transaction.afterCommit(() => this.#tell(next))
    return 'probe'
  }

  #own(): Condition {
    return { op: 'eq', column: BREAKER.integration, value: this.#integration }
  }

  #rows(reader: Pick<Transaction, 'select'>, lock = false): Promise<readonly Row[]> {
    const table = this.#table
    return reader.select({
      table,
      columns: table.columns,
      where: this.#own(),
      order: [],
      ...(lock && { lock }),
    })
  }

  async #read(reader: Pick<Transaction, 'select'>, lock = false): Promise<BreakerState> {
    const [row] = await this.#rows(reader, lock)
    return stateOf(row)
  }

  async #write(
    { state, failures, successes, openedAt, retryAt }: BreakerState,
    transaction: Transaction,
    probe: Row = { probe: null, probeUntil: null },
  ): Promise<void> {
    const set = { state, failures, successes, openedAt, retryAt, ...probe }
    const table = this.#table
    const { count } = await transaction.update({ table, set, where: this.#own() })
    if (count === 0)
      await transaction.insert({
        table,
        values: { integration: this.#integration, ...set },
        onConflict: 'ignore',
      })
  }
}

const stateOf = (row: Row | undefined): BreakerState =>
  row === undefined
    ? CLOSED
    : {
        state: row['state'] as BreakerState['state'],
        failures: Number(row['failures']),
        successes: Number(row['successes']),
        openedAt: row['openedAt'] === null ? null : String(row['openedAt']),
        retryAt: row['retryAt'] === null ? null : String(row['retryAt']),
      }
