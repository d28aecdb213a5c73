import type { Logger } from '@svc/kernel'
import { type ClientBase, type ClientConfig, Pool, type PoolClient } from 'pg'
import { longReadLimits } from '../long-read-config.ts'
import type { LongReadLimits } from '../long-reads.ts'
import type { PostgresConfig } from './config.ts'
import { Turns } from '../turns.ts'
import { isCutOff } from './faults.ts'
import { parsers } from './parsers.ts'

/** A connection keeps every statement that it prepared, so it is not kept for ever. */
const MAX_USES = 10_000
const IDLE_MS = 60_000

/** The open connections to one database. */
export class Sessions {
  readonly #pool: Pool
  readonly #leased = new Set<PoolClient>()
  /** Whose turn it is: the pool's own line knows no order but that of arrival. */
  readonly #turns: Turns
  readonly #out = new Set<PoolClient>()
  readonly #size: number
  /** Long reads take half of the connections at most: the others stay for everybody else. */
  readonly longReads: LongReadLimits
  /** The most connections that transactions of many rows may take, for the same reason. */
  readonly crowd: number
  /** How long such a transaction waits for its turn, in milliseconds. */
  readonly crowdPatience: number

  constructor(target: ClientConfig, config: PostgresConfig, log: Logger) {
    this.#size = config.pool_size
    this.longReads = longReadLimits(config, Math.floor(config.pool_size / 2))
    this.crowd = Math.max(1, Math.floor(config.pool_size / 2))
    this.crowdPatience = config.statement_timeout_ms
    this.#turns = new Turns(
      config.pool_size,
      config.connect_timeout_ms,
      'All connections to the database are in use: try again',
    )
    this.#pool = new Pool({
      ...target,
      application_name: target.application_name ?? 'svc',
      max: config.pool_size,
      connectionTimeoutMillis: config.connect_timeout_ms,
      statement_timeout: config.statement_timeout_ms,
      lock_timeout: config.lock_timeout_ms,
      idle_in_transaction_session_timeout: config.idle_in_transaction_timeout_ms,
      idleTimeoutMillis: IDLE_MS,
      maxUses: MAX_USES,
      keepAlive: true,
      types: parsers,
      // What needs no answer before the next statement is sent with it.
      pipeline: true,
      onConnect: prepare,
    })
    // An 'error' without a listener ends the process; the next call opens a new connection.
    const lost = (error: Error) => log.warn({ err: error }, 'postgres.connection_lost')
    this.#pool.on('error', lost)
    this.#pool.on('connect', (client) => client.on('error', lost))
    this.#pool.on('release', (_, client) => {
      if (this.#out.delete(client)) this.#turns.leave()
    })
  }

  /**
   * Runs `work` on a connection. A read goes before the transactions that wait for one. A connection that turns out to be
   * dead, for example after a restart of the server, is exchanged for another as long as `isFresh` says that nothing was
   * done on it; all that lie idle may be dead.
   */
  async use<T>(work: (client: PoolClient) => Promise<T>, isFresh: () => boolean, isRead = true): Promise<T> {
    for (let spare = this.#size; ; spare -= 1) {
      const client = await this.#connect(isRead)
      try {
        const result = await work(client)
        client.release()
        return result
      } catch (error) {
        const isDead = isCutOff(error)
        client.release(isDead)
        if (!isDead || spare === 0 || !isFresh()) throw error
      }
    }
  }

  /** Takes a connection, which goes back by its `release`. */
  take(): Promise<PoolClient> {
    return this.#connect()
  }

  /** How many connections there are at most: so many may turn out to be dead one after the other. */
  get size(): number {
    return this.#size
  }

  /**
   * Takes a connection for longer than a call, once `begin` was done on it; a dead one is exchanged for another. It
   * goes back by `giveBack`.
   */
  async lease(begin: (client: PoolClient) => Promise<void>): Promise<PoolClient> {
    for (let spare = this.#size; ; spare -= 1) {
      const client = await this.#connect()
      try {
        await begin(client)
        this.#leased.add(client)
        return client
      } catch (error) {
        client.release(true)
        if (!isCutOff(error) || spare === 0) throw error
      }
    }
  }

  async #connect(goesFirst = false): Promise<PoolClient> {
    await this.#turns.enter(goesFirst)
    try {
      const client = await this.#pool.connect()
      this.#out.add(client)
      return client
    } catch (error) {
      this.#turns.leave()
      throw error
    }
  }

  giveBack(client: PoolClient, isDead: boolean): void {
    if (this.#leased.delete(client)) client.release(isDead)
  }

  /** Connections that are still out for a long read are cut off: nothing says that it would ever go on. */
  close(): Promise<void> {
    for (const client of this.#leased) this.giveBack(client, true)
    return this.#pool.end()
  }
}

/** The pool hands a connection out once this is done. The parsers read times as the server writes them then. */
async function prepare(client: ClientBase): Promise<void> {
  await client.query("set timezone = 'UTC'; set datestyle = 'ISO'")
}
