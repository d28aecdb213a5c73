import type { PoolClient, QueryResult } from 'pg'
import type { Call, Compiler, Statement } from '../compile/compiler.ts'
import { claim } from '../compile/claim.ts'
import { aggregate } from '../compile/aggregate.ts'
import type { Dialect } from '../compile/dialect.ts'
import { ddl } from '../compile/ddl.ts'
import { insert } from '../compile/insert.ts'
import { insertRows, statementsOf } from '../compile/insert-rows.ts'
import { remove } from '../compile/remove.ts'
import { count, select } from '../compile/select.ts'
import { update } from '../compile/update.ts'
import type { Definition } from '../contract.ts'
import { Listeners } from '../listeners.ts'
import type {
  AggregatePlan,
  ClaimPlan,
  CountPlan,
  InsertPlan,
  InsertRowsPlan,
  RemovePlan,
  Row,
  SchemaStep,
  SelectPlan,
  Table,
  UpdatePlan,
} from '../plan.ts'
import { begin } from './begin.ts'
import { conflictOf, faultOf, isCutOff, isTransient } from './faults.ts'
import { countIn, run } from './run.ts'

/**
 * After so many statements, and again after as many, a transaction has its statements planned for the tables as they
 * are: a plan that was made for an empty table reads all of it, which a long import would do for every row.
 */
const PLANS_LAST = 1000
const PLAN_ANEW = 'set local plan_cache_mode = force_custom_plan'

/** A transaction on a connection of its own. It lives as long as the work that it was made for. */
export class PostgresTransaction implements Definition {
  readonly #client: PoolClient
  readonly #compiler: Compiler
  readonly #dialect: Dialect
  readonly #prepare: readonly string[]
  #begun: Promise<unknown> | undefined
  #committed: Promise<unknown> | undefined
  #isClosed = false
  #isAlone = false
  /** Foreign keys whose table is still to be made. */
  #waiting: { readonly sql: string; readonly needs: string }[] = []
  #depth = 0
  readonly #listeners = new Listeners()
  #ended = false
  #statements = 0
  #answered = 0
  #last: Promise<unknown> = Promise.resolve()

  /** `prepare`: what the transaction begins with. */
  constructor(client: PoolClient, compiler: Compiler, dialect: Dialect, prepare: readonly string[] = []) {
    this.#client = client
    this.#compiler = compiler
    this.#dialect = dialect
    this.#prepare = prepare
  }

  /**
   * Begins it on the server, and answers the rows of `opening`. A first statement does so by itself, and does not wait for
   * the answer.
   */
  begin(opening?: Statement): Promise<readonly Row[]> {
    const begun = begin(this.#client, this.#prepare, opening)
    begun.catch(() => undefined)
    this.#begun = begun
    return begun
  }

  /** Whether nothing was done yet, and nothing can have been: a statement that is alone may be done before it is answered. */
  get isFresh(): boolean {
    return this.#answered === 0 && !this.#isAlone
  }

  /** Makes it durable. */
  async commit(): Promise<void> {
    await this.end()
    if (this.#begun !== undefined) await (this.#committed ?? commit(this.#client))
    this.#listeners.call()
  }

  /** Undoes it. */
  async rollback(): Promise<void> {
    await this.end()
    const isOpen = this.#begun !== undefined && this.#committed === undefined
    if (isOpen) await this.#client.query('rollback').catch(() => undefined)
    else await this.#committed?.catch(() => undefined)
  }

  /** Waits for the last statement; from now on every use throws. */
  async end(): Promise<void> {
    this.#ended = true
    await this.#last
  }

  afterCommit(listener: () => void): void {
    if (this.#ended) throw new Error('this transaction has ended: await all of its work inside it')
    this.#listeners.add(listener)
  }

  async select(plan: SelectPlan): Promise<readonly Row[]> {
    return (await this.#run(this.#compiler.call(select, plan))).rows
  }

  async count(plan: CountPlan): Promise<number> {
    return countIn(await this.#run(this.#compiler.call(count, plan)))
  }

  async aggregate(plan: AggregatePlan): Promise<readonly Row[]> {
    return (await this.#run(this.#compiler.call(aggregate, plan))).rows
  }

  async insert(plan: InsertPlan): Promise<number> {
    return (await this.#run(this.#compiler.call(insert, plan), plan.table, plan.last)).rowCount ?? 0
  }

  async insertRows(plan: InsertRowsPlan): Promise<number> {
    let written = 0
    for (const part of statementsOf(plan)) {
      written += (await this.#run(this.#compiler.call(insertRows, part), plan.table)).rowCount ?? 0
    }
    return written
  }

  async update(plan: UpdatePlan): Promise<{ readonly count: number; readonly rows: readonly Row[] }> {
    const { rowCount, rows } = await this.#run(this.#compiler.call(update, plan), plan.table, plan.last)
    return { count: rowCount ?? 0, rows }
  }

  async claim(plan: ClaimPlan): Promise<readonly Row[]> {
    return (await this.#run(this.#compiler.call(claim, plan), plan.table)).rows
  }

  async remove(plan: RemovePlan): Promise<number> {
    return (await this.#run(this.#compiler.call(remove, plan), plan.table)).rowCount ?? 0
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const name = `s${(this.#depth += 1)}`
    await this.#execute(`savepoint ${name}`)
    try {
      const result = await work()
      await this.#execute(`release savepoint ${name}`)
      return result
    } catch (error) {
      await this.#execute(`rollback to savepoint ${name}`)
      await this.#execute(`release savepoint ${name}`)
      throw error
    } finally {
      this.#depth -= 1
    }
  }

  async apply(step: SchemaStep): Promise<readonly string[]> {
    const ran: string[] = []
    const { table } = step
    const written =
      step.kind === 'createIndex' ? { ...table, indexes: [...table.indexes, step.index] } : table
    for (const statement of ddl(step, this.#dialect)) {
      const sql = this.#compiler.text(statement.sql)
      ran.push(sql)
      const { needs } = statement
      if (needs === undefined || (await this.#has(needs))) await this.#execute(sql, written)
      else this.#waiting.push({ sql, needs })
    }
    if (step.kind === 'createTable') await this.#addForeignKeys(step.table.name)
    return ran
  }

  /** Adds the foreign keys that waited for `table`; all that are left where none is named. */
  async #addForeignKeys(table?: string): Promise<void> {
    const ready = this.#waiting.filter(({ needs }) => table === undefined || needs === table)
    this.#waiting = this.#waiting.filter((statement) => !ready.includes(statement))
    for (const { sql } of ready) await this.#execute(sql)
  }

  /** Does what waits for the end of the work. */
  async finish(): Promise<void> {
    if (this.#waiting.length > 0) await this.#addForeignKeys()
  }

  async #has(table: string): Promise<boolean> {
    const { rows } = await this.#query(() =>
      this.#client.query<Row>('select to_regclass(quote_ident($1)) is not null as "there"', [table]),
    )
    return rows[0]?.['there'] === true
  }

  #execute(sql: string, written?: Table): Promise<QueryResult<Row>> {
    return this.#query(() => this.#client.query<Row>(sql), written)
  }

  #run(call: Call, written?: Table, isLast = false): Promise<QueryResult<Row>> {
    this.#statements += 1
    if (this.#statements % PLANS_LAST === 0) this.#execute(PLAN_ANEW).catch(() => undefined)
    return this.#query(() => run(this.#client, call), written, isLast)
  }

  /**
   * Sends a statement; the server does one after the other. A last one is sent together with the commit, and one that
   * is alone needs neither a beginning nor an end.
   */
  #query(send: () => Promise<QueryResult<Row>>, written?: Table, isLast = false): Promise<QueryResult<Row>> {
    if (this.#ended || this.#isClosed) {
      return Promise.reject(new Error('this transaction has ended: await all of its work inside it'))
    }
    this.#isAlone = isLast && this.#begun === undefined && this.#prepare.length === 0
    if (!this.#isAlone && this.#begun === undefined) void this.begin()
    const answer = send().then(
      (result) => {
        this.#answered += 1
        return result
      },
      (error: unknown) => {
        // A connection that was dead before anything happened on it is exchanged for another.
        const isForOthers = isTransient(error) || (this.isFresh && isCutOff(error))
        throw (written && conflictOf(error, written)) ?? (isForOthers ? error : faultOf(error))
      },
    )
    if (isLast) this.#close()
    const before = this.#last
    this.#last = answer.then(
      () => before,
      () => before,
    )
    return answer
  }

  #close(): void {
    this.#isClosed = true
    if (this.#isAlone) return
    this.#committed = commit(this.#client)
    this.#committed.catch(() => undefined)
  }
}

/** The server answers a commit of a failed transaction with a rollback, and calls that no error. */
async function commit(client: PoolClient): Promise<void> {
  const { command } = await client.query('commit')
  if (command === 'COMMIT') return
  throw new Error(
    'a statement failed and the work went on: what may fail inside a transaction belongs into a savepoint',
  )
}
