import { setTimeout as delay } from 'node:timers/promises'
import type { Environment } from '@svc/kernel'
import type { PoolClient } from 'pg'
import { type Call, Compiler } from '../compile/compiler.ts'
import { aggregate } from '../compile/aggregate.ts'
import { ddl } from '../compile/ddl.ts'
import type { Dialect } from '../compile/dialect.ts'
import { count, select } from '../compile/select.ts'
import type { Catalog, Definition, Store, Transaction, TransactionOptions } from '../contract.ts'
import { LongReads } from '../long-reads.ts'
import { missingSteps } from '../missing.ts'
import { isMany, MOST_LENGTH } from '../part.ts'
import { SeenTables } from '../seen-tables.ts'
import type { AggregatePlan, CountPlan, Row, SchemaStep, SelectPlan, StoreFeature, Table } from '../plan.ts'
import { Turns } from '../turns.ts'
import { type Beginning, Unjudged } from './course.ts'
import { Conversation } from './conversation.ts'
import { faultOf, isCutOff, isTransient } from './faults.ts'
import { readCatalog } from './introspect.ts'
import { Reads } from './reads.ts'
import type { Answer } from './round.ts'
import { countIn, plain } from './run.ts'
import { scrubTables } from './scrub.ts'
import type { Sessions } from './sessions.ts'
import { streamRows } from './stream.ts'
import { type Means, PostgresTransaction } from './transaction.ts'
import { Writes } from './writes.ts'

/** How often a transaction is run in all where it meets a deadlock or a clash of snapshots. */
const ATTEMPTS = 5
/** The wait after the first clash is at most this long, in milliseconds; it doubles with each. */
const FIRST_PAUSE_MS = 20
/** How long it is taken for sure that tables are there which were seen, in milliseconds. */
const SEEN_MS = 2000
/** Held while the schema changes; the number means nothing, and is the same on every server. */
const DEFINE_LOCK = 7_302_651_964
/** The lock may be waited for, and a statement may run, as long as changes of large tables take. */
const DEFINE = [
  plain('set local statement_timeout = 0'),
  plain('set local lock_timeout = 0'),
  plain(`select pg_advisory_xact_lock(${DEFINE_LOCK})`),
  plain('set local lock_timeout to default'),
]

/**
 * Transactions of many rows share this lock, and one that has clashed holds it alone. PostgreSQL takes a second to find
 * a deadlock, and two that meet again would meet in the next one: what clashed waits until those that are under way have
 * committed, and those that come after wait for it.
 */
const MANY_LOCK = 7_302_651_965
const AMONG_OTHERS = plain(`select pg_advisory_xact_lock_shared(${MANY_LOCK})`)
const ALONE = plain(`select pg_advisory_xact_lock(${MANY_LOCK})`)

/** A commit that does not wait for the disk; what it wrote reaches the disk within a moment. */
const ASIDE = [plain('set local synchronous_commit = off')]

const STATE = { name: 'svc_state', text: 'select pg_current_snapshot()::text as state' }

const NOTHING_WANTING: ReadonlyMap<StoreFeature, string> = new Map()
const POSTGIS_WANTING: ReadonlyMap<StoreFeature, string> = new Map([['spatial', 'create extension postgis;']])

/** How a transaction of the store begins. */
interface Start extends Beginning {
  /** Whether the work waits until it has begun: changes of the schema wait for each other. */
  readonly isAwaited?: boolean
}

type Work<T> = (transaction: PostgresTransaction, conversation: Conversation) => Promise<T>

/** A database on a PostgreSQL server. */
export class PostgresStore implements Store {
  readonly name: string
  readonly dialect = 'postgres'
  readonly #sessions: Sessions
  readonly #dialect: Dialect
  readonly #compiler: Compiler
  readonly #env: Environment
  readonly #longReads: LongReads
  readonly #crowd: Turns
  readonly #reads: Reads
  readonly #means: Means
  /** What every transaction begins with. */
  readonly #beginning: readonly Call[]
  readonly journal: Store
  readonly #seen: SeenTables
  /** How often the schema was changed from here. */
  #defined = 0

  constructor(
    name: string,
    sessions: Sessions,
    dialect: Dialect,
    env: Environment,
    beginning: readonly Call[] = [],
    seen = new SeenTables(isOutdated, SEEN_MS),
  ) {
    this.name = name
    this.#seen = seen
    this.#beginning = beginning
    this.journal =
      beginning === ASIDE ? this : new PostgresStore(`${name}.journal`, sessions, dialect, env, ASIDE, seen)
    this.#sessions = sessions
    this.#dialect = dialect
    this.#compiler = new Compiler(dialect)
    this.#env = env
    this.#longReads = new LongReads(sessions.longReads)
    this.#reads = new Reads(sessions)
    const writes = new Writes(sessions)
    this.#means = { compiler: this.#compiler, dialect, reads: this.#reads, writes }
    this.#crowd = new Turns(
      sessions.crowd,
      sessions.crowdPatience,
      'Too many large writes are under way: try again',
    )
  }

  async select(plan: SelectPlan): Promise<readonly Row[]> {
    const call = this.#compiler.call(select, plan)
    return (await this.#answer(isMany(plan) ? { ...call, most: MOST_LENGTH } : call)).rows
  }

  async count(plan: CountPlan): Promise<number> {
    const call = this.#compiler.call(count, plan)
    return countIn(await this.#answer(call))
  }

  async aggregate(plan: AggregatePlan): Promise<readonly Row[]> {
    const call = this.#compiler.call(aggregate, plan)
    return (await this.#answer({ ...call, most: MOST_LENGTH })).rows
  }

  stream(plan: Omit<SelectPlan, 'lock' | 'text'>, size: number): AsyncIterable<readonly Row[]> {
    const call = this.#compiler.call(select, plan)
    return this.#longReads.read(size, () => streamRows(this.#sessions, call, size))
  }

  transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    { many = false, opening }: TransactionOptions = {},
  ): Promise<T> {
    const prepare = this.#beginning
    if (!many) return this.#transact({ prepare, opening, mayAskAlone: true }, work)
    return this.#crowd.take(() => this.#transact({ prepare: [...prepare, AMONG_OTHERS], opening }, work))
  }

  define<T>(
    work: (definition: Definition) => Promise<T>,
    { opening }: Pick<TransactionOptions, 'opening'> = {},
  ): Promise<T> {
    this.#defined += 1
    return this.#transact({ prepare: DEFINE, opening, isAwaited: true }, work)
  }

  get features(): ReadonlySet<StoreFeature> {
    return this.#dialect.features
  }

  get wanting(): ReadonlyMap<StoreFeature, string> {
    return this.features.has('spatial') ? NOTHING_WANTING : POSTGIS_WANTING
  }

  /** The server compares them, where it can. */
  compareGeometries(): void {}

  async ensure(tables: readonly Table[]): Promise<void> {
    const names = tables.map(({ name }) => name)
    // Whoever else changes the schema takes nothing away that a service needs which starts.
    const state = this.#defined
    if (this.#seen.have(tables, state)) return
    const own = this.#seen.isWorth(tables)
    const there = await this.#read((client) => readCatalog(client, names, own))
    if (own) this.#seen.see(there, state)
    if (missingSteps(tables, there, isOutdated).length === 0) return
    this.#seen.miss()
    await this.#transact({ prepare: DEFINE, isAwaited: true }, async (definition, { client }) => {
      // Read again: another server may have been first.
      const steps = missingSteps(tables, await readCatalog(client, names), isOutdated)
      for (const step of steps) await definition.apply(step)
    })
  }

  /** A snapshot lists the transactions that it sees: of two equal ones, neither sees a commit that the other does not. */
  async state(): Promise<string> {
    const { rows } = await this.#read((client) => client.query<{ state: string }>(STATE))
    return String(rows[0]?.state)
  }

  explain(step: SchemaStep): readonly string[] {
    return ddl(step, this.#dialect).map(({ sql }) => this.#compiler.text(sql))
  }

  catalog(): Promise<Catalog> {
    return this.#read((client) => readCatalog(client))
  }

  async scrub(tables: readonly string[]): Promise<void> {
    const { tables: there } = await this.catalog()
    const names = there.map(({ name }) => name).filter((name) => tables.includes(name))
    await this.#read((client) => scrubTables(client, names))
  }

  async size(): Promise<number> {
    const { rows } = await this.#read((client) =>
      client.query<{ size: string }>('select pg_database_size(current_database()) as size'),
    )
    return Number(rows[0]?.size)
  }

  /** Rejects where the server does not answer. */
  async check(): Promise<void> {
    await this.#read((client) => client.query('select 1'))
  }

  close(): Promise<void> {
    return this.#sessions.close()
  }

  async #answer(call: Call): Promise<Answer> {
    try {
      return await this.#reads.run(call)
    } catch (error) {
      throw faultOf(error)
    }
  }

  async #read<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    try {
      return await this.#sessions.use(work, () => true)
    } catch (error) {
      throw faultOf(error)
    }
  }

  async #transact<T>(start: Start, work: Work<T>): Promise<T> {
    let next = start
    for (let attempt = 1; ;) {
      try {
        return await this.#once(next, work)
      } catch (error) {
        if (error instanceof Unjudged) {
          next = { ...next, mayAskAlone: false }
          continue
        }
        if (attempt === ATTEMPTS || !isTransient(error)) throw faultOf(error)
      }
      next = { ...start, prepare: [...start.prepare.filter((one) => one !== AMONG_OTHERS), ALONE] }
      await delay(this.#pause(attempt))
      attempt += 1
    }
  }

  /** Two small ones that clashed are not to meet again: the wait is by chance. */
  #pause(attempt: number): number {
    const [chance = 0] = this.#env.randomBytes(1)
    return (chance / 255) * FIRST_PAUSE_MS * 2 ** (attempt - 1)
  }

  /** A connection that turns out to be dead, for example after a restart of the server, is exchanged for another. */
  async #once<T>(start: Start, work: Work<T>): Promise<T> {
    for (let spare = this.#sessions.size; ; spare -= 1) {
      const conversation = new Conversation(this.#sessions)
      const transaction = new PostgresTransaction(conversation, this.#means, start)
      try {
        if (start.isAwaited) await transaction.begin()
        const result = await work(transaction, conversation)
        await transaction.finish()
        await transaction.judge()
        await transaction.commit()
        conversation.end(false)
        return result
      } catch (error) {
        const judgement = await transaction.judge().catch((unfit: unknown) => ({ unfit }))
        const isElsewhere = transaction.isFresh && conversation.isConnected
        await transaction.rollback()
        const reason = judgement?.unfit ?? error
        const isDead = isCutOff(reason)
        conversation.end(isDead)
        if (!isDead || spare === 0 || !isElsewhere) throw reason
      }
    }
  }
}

/** A catalog tells the columns that stand in an index as they are: long texts no longer do. */
const isOutdated: Parameters<typeof missingSteps>[2] = ({ columns, search }, there) =>
  search !== true && columns.some(({ name, long }) => long === true && there.columns.includes(name))
