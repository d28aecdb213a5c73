import { errors } from '@svc/kernel'
import type { Compiler } from '../compile/compiler.ts'
import { StoreConflict } from '../faults.ts'
import type { Connection } from './connection.ts'
import { faultOf } from './faults.ts'
import type { FileState } from './file-state.ts'
import { patiently } from './patience.ts'
import { SqliteTransaction } from './transaction.ts'
import { Turn } from './turn.ts'
import { unlessIdle } from './unless-idle.ts'

/** Works that share a commit at most: reads wait while a group runs. */
const GROUP_SIZE = 64
/** How long a work may leave its transaction unused, in seconds; all other writers wait for it. */
const IDLE_S = 10
/** The same for a change of the schema, which may rewrite large tables. */
const DEFINE_IDLE_S = 600

interface Job {
  /** Runs the work and keeps its result. */
  run(transaction: SqliteTransaction): Promise<void>
  /** Hands the result to who waits for it; only after the commit. */
  resolve(): void
  reject(error: unknown): void
  /** A change of the schema: it shares its transaction with nobody. */
  readonly alone: boolean
  /** It needs no transaction, and nobody may have one meanwhile. */
  readonly isApart?: boolean
}

/**
 * Writes in turn, over one connection. Works that wait at the same time share one BEGIN IMMEDIATE … COMMIT,
 * each in a savepoint of its own, and hear of their success after the commit: a sync to the disk costs the same
 * for one as for many. A work may await its transaction and nothing else; above all not another transaction
 * of this store, which cannot begin before it has ended.
 */
export class Writer {
  readonly #connection: Connection
  readonly #compiler: Compiler
  readonly #state: FileState
  readonly #queue: Job[] = []
  readonly #turn = new Turn()
  #running: Promise<void> | undefined
  #closed = false

  constructor(connection: Connection, compiler: Compiler, state: FileState) {
    this.#connection = connection
    this.#compiler = compiler
    this.#state = state
  }

  transaction<T>(work: (transaction: SqliteTransaction) => Promise<T>): Promise<T> {
    return this.#enqueue(work, false)
  }

  /** Runs `work` in a transaction that may change the schema. */
  define<T>(work: (transaction: SqliteTransaction) => Promise<T>): Promise<T> {
    return this.#enqueue(work, true)
  }

  /** Runs `work`, which writes by other means, while nobody writes here. */
  apart<T>(work: () => Promise<T>): Promise<T> {
    return this.#enqueue(work, true, true)
  }

  /** Writes what changes nothing, to find out whether the file can be written. */
  attempt(): Promise<void> {
    return this.apart(async () => {
      const [row] = this.#connection.all('pragma user_version')
      this.#connection.run(`pragma user_version = ${Number(row?.['user_version'])}`)
      this.#state.written()
    })
  }

  /** Finishes what waits, each work in the time that an idle one has, and closes the connection. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#running
    this.#connection.close()
  }

  #enqueue<T>(
    work: (transaction: SqliteTransaction) => Promise<T>,
    alone: boolean,
    isApart = false,
  ): Promise<T> {
    if (this.#closed) return Promise.reject(errors.UNAVAILABLE({ message: 'The database is closed' }))
    return new Promise((resolve, reject) => {
      this.#queue.push(new Work(work, resolve, reject, alone, isApart))
      this.#running ??= this.#drain()
    })
  }

  /** One group a turn of the event loop: what comes in during a turn is written together. */
  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#turn.next()
      const jobs = this.#next()
      try {
        await (jobs[0]?.isApart
          ? this.#apart(jobs[0])
          : jobs[0]?.alone
            ? this.#define(jobs)
            : this.#group(jobs))
      } catch (error) {
        this.#state.failed(error)
        const fault = faultOf(error)
        for (const job of jobs) job.reject(fault)
      }
    }
    this.#running = undefined
  }

  #next(): readonly Job[] {
    const alone = this.#queue.findIndex((job) => job.alone)
    const size = alone < 0 ? GROUP_SIZE : Math.max(alone, 1)
    return this.#queue.splice(0, Math.min(size, GROUP_SIZE))
  }

  async #apart(job: Job): Promise<void> {
    const transaction = new SqliteTransaction(this.#connection, this.#compiler, this.#turn)
    transaction.end()
    await job.run(transaction)
    job.resolve()
  }

  /** Foreign keys stand back while tables change, and are checked as a whole before the commit. */
  async #define(jobs: readonly Job[]): Promise<void> {
    this.#enforceForeignKeys(false)
    try {
      await this.#group(jobs, () => this.#checkForeignKeys())
    } finally {
      this.#enforceForeignKeys(true)
    }
  }

  /** SQLite passes this over, without a word, while a transaction is open. */
  #enforceForeignKeys(isOn: boolean): void {
    this.#connection.run(`pragma foreign_keys = ${isOn ? 'on' : 'off'}`)
  }

  #checkForeignKeys(): void {
    const [broken] = this.#connection.all(
      `select c."table", k."from" from pragma_foreign_key_check c
       left join pragma_foreign_key_list(c."table") k on k.id = c.fkid limit 1`,
    )
    if (broken !== undefined) {
      throw new StoreConflict('foreignKey', String(broken['table']), [String(broken['from'])])
    }
  }

  async #group(jobs: readonly Job[], check?: () => void): Promise<void> {
    await patiently(() => this.#connection.begin())
    // Only what has written anything shows that the file can be written.
    const changes = this.#state.fault === undefined ? undefined : this.#changes()
    try {
      const settle: (() => void)[] = []
      for (const job of jobs) settle.push(await this.#one(job, jobs.length > 1))
      check?.()
      if (!this.#connection.inTransaction) throw givenUp()
      this.#connection.commit()
      if (changes !== undefined && this.#changes() !== changes) this.#state.written()
      for (const tell of settle) tell()
    } catch (error) {
      if (this.#connection.inTransaction) this.#connection.run('rollback')
      throw error
    }
  }

  /** How many rows this connection has changed in all. */
  #changes(): unknown {
    return this.#connection.all('select total_changes() as changes')[0]?.['changes']
  }

  /** Runs one work; answers what is to be told once the group is committed. */
  async #one(job: Job, shared: boolean): Promise<() => void> {
    const transaction = new SqliteTransaction(this.#connection, this.#compiler, this.#turn)
    if (shared) this.#connection.run('savepoint work')
    try {
      await unlessIdle(job.run(transaction), transaction, {
        seconds: job.alone ? DEFINE_IDLE_S : IDLE_S,
        isClosing: () => this.#closed,
      })
      if (shared) this.#connection.run('release work')
      return () => {
        transaction.committed()
        job.resolve()
      }
    } catch (error) {
      if (!shared) throw error
      // SQLite has undone the writes of the others too.
      if (!this.#connection.inTransaction) throw givenUp(error)
      this.#state.failed(error)
      this.#connection.run('rollback to work')
      this.#connection.run('release work')
      return () => job.reject(faultOf(error))
    } finally {
      transaction.end()
    }
  }
}

class Work<T> implements Job {
  readonly alone: boolean
  readonly isApart: boolean
  readonly #work: (transaction: SqliteTransaction) => Promise<T>
  readonly #resolve: (value: T | Promise<T>) => void
  readonly reject: (error: unknown) => void
  #result: Promise<T> | undefined

  constructor(
    work: (transaction: SqliteTransaction) => Promise<T>,
    resolve: (value: T | Promise<T>) => void,
    reject: (error: unknown) => void,
    alone: boolean,
    isApart: boolean,
  ) {
    this.isApart = isApart
    this.#work = work
    this.#resolve = resolve
    this.reject = reject
    this.alone = alone
  }

  async run(transaction: SqliteTransaction): Promise<void> {
    this.#result = this.#work(transaction)
    await this.#result
  }

  resolve(): void {
    if (this.#result !== undefined) this.#resolve(this.#result)
  }
}

const givenUp = (cause?: unknown) =>
  errors.UNAVAILABLE({ message: 'The database gave the transaction up: try again', cause })
