import type { PoolClient, QueryResult } from 'pg'
import type { Call, Compiler } from '../compile/compiler.ts'
import type { Dialect } from '../compile/dialect.ts'
import { ddl } from '../compile/ddl.ts'
import { insert } from '../compile/insert.ts'
import { insertRows, statementsOf } from '../compile/insert-rows.ts'
import { remove } from '../compile/remove.ts'
import { count, select } from '../compile/select.ts'
import { update } from '../compile/update.ts'
import type { Definition } from '../contract.ts'
import type {
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
import { conflictOf, faultOf, isTransient } from './faults.ts'
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
  /** Foreign keys whose table is still to be made. */
  #waiting: { readonly sql: string; readonly needs: string }[] = []
  #depth = 0
  #ended = false
  #statements = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(client: PoolClient, compiler: Compiler, dialect: Dialect) {
    this.#client = client
    this.#compiler = compiler
    this.#dialect = dialect
  }

  /** Waits for the last statement; from now on every use throws. */
  async end(): Promise<void> {
    this.#ended = true
    await this.#last
  }

  async select(plan: SelectPlan): Promise<readonly Row[]> {
    return (await this.#run(this.#compiler.call(select, plan))).rows
  }

  async count(plan: CountPlan): Promise<number> {
    return countIn(await this.#run(this.#compiler.call(count, plan)))
  }

  async insert(plan: InsertPlan): Promise<number> {
    return (await this.#run(this.#compiler.call(insert, plan), plan.table)).rowCount ?? 0
  }

  async insertRows(plan: InsertRowsPlan): Promise<number> {
    let written = 0
    for (const part of statementsOf(plan)) {
      written += (await this.#run(this.#compiler.call(insertRows, part), plan.table)).rowCount ?? 0
    }
    return written
  }

  async update(plan: UpdatePlan): Promise<{ readonly count: number; readonly rows: readonly Row[] }> {
    const { rowCount, rows } = await this.#run(this.#compiler.call(update, plan), plan.table)
    return { count: rowCount ?? 0, rows }
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

  #run(call: Call, written?: Table): Promise<QueryResult<Row>> {
    this.#statements += 1
    if (this.#statements % PLANS_LAST === 0) this.#execute(PLAN_ANEW).catch(() => undefined)
    return this.#query(() => run(this.#client, call), written)
  }

  /** One statement after the other: a connection has no room for two. */
  #query(send: () => Promise<QueryResult<Row>>, written?: Table): Promise<QueryResult<Row>> {
    if (this.#ended) {
      return Promise.reject(new Error('this transaction has ended: await all of its work inside it'))
    }
    const answer = this.#last.then(send).catch((error: unknown) => {
      throw (written && conflictOf(error, written)) ?? (isTransient(error) ? error : faultOf(error))
    })
    this.#last = answer.catch(() => undefined)
    return answer
  }
}
