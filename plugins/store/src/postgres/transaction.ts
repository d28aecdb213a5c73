import type { Compiler } from '../compile/compiler.ts'
import { claim } from '../compile/claim.ts'
import { aggregate } from '../compile/aggregate.ts'
import type { Dialect } from '../compile/dialect.ts'
import { insertRows, statementsOf } from '../compile/insert-rows.ts'
import { remove } from '../compile/remove.ts'
import { count, select } from '../compile/select.ts'
import type { Definition } from '../contract.ts'
import { Listeners } from '../listeners.ts'
import type {
  AggregatePlan,
  ClaimPlan,
  Column,
  CountPlan,
  InsertPlan,
  InsertRowsPlan,
  RemovePlan,
  Row,
  SchemaStep,
  SelectPlan,
  UpdatePlan,
  UpdateRowsPlan,
} from '../plan.ts'
import { alone, INSERT, UPDATE, type WriteKind } from './alone.ts'
import type { Conversation } from './conversation.ts'
import { type Beginning, Course } from './course.ts'
import { faultOf } from './faults.ts'
import type { Glimpse } from './glimpse.ts'
import { lockExclusive } from './named-locks.ts'
import type { Reads } from './reads.ts'
import type { Answer } from './round.ts'
import { statementsOf as changesOf, updateRows } from './update-rows.ts'
import { countIn, plain } from './run.ts'
import { SchemaChanges } from './schema-changes.ts'
import type { Writes } from './writes.ts'

/** What a transaction works with. */
export interface Means {
  readonly compiler: Compiler
  readonly dialect: Dialect
  /** Reads outside of it. */
  readonly reads: Reads
  /** Writes that are all of it. */
  readonly writes: Writes
}

/** A transaction on a connection of its own. It lives as long as the work that it was made for. */
export class PostgresTransaction implements Definition {
  readonly #course: Course
  readonly #compiler: Compiler
  readonly #reads: Reads
  readonly #writes: Writes
  readonly #changes: SchemaChanges
  readonly #listeners = new Listeners()
  #depth = 0

  constructor(conversation: Conversation, { compiler, dialect, reads, writes }: Means, beginning: Beginning) {
    this.#course = new Course(conversation, compiler, beginning)
    this.#compiler = compiler
    this.#changes = new SchemaChanges(compiler, dialect, (call, written) => this.#course.run(call, written))
    this.#reads = reads
    this.#writes = writes
  }

  /** Begins it on the server, where that is still to be done, and resolves once that has happened and its opening is judged. */
  begin(): Promise<void> {
    return this.#course.begin()
  }

  /** Resolves once the opening is judged: by itself, or by the condition of a write that was alone. */
  judge(): Promise<void> {
    return this.#course.judge()
  }

  /** Whether nothing was done yet, and nothing can have been: a commit may have happened though nobody heard of it. */
  get isFresh(): boolean {
    return this.#course.isFresh
  }

  /** Makes it durable. */
  async commit(): Promise<void> {
    await this.#course.commit()
    this.#listeners.call()
  }

  /** Undoes it. */
  rollback(): Promise<void> {
    return this.#course.rollback()
  }

  /** Waits for the last statement; from now on every use throws. */
  end(): Promise<void> {
    return this.#course.end()
  }

  afterCommit(listener: () => void): void {
    this.#course.assertUnended()
    this.#listeners.add(listener)
  }

  async select(plan: SelectPlan): Promise<readonly Row[]> {
    const { glimpse, mayBeAlone } = this.#course
    if (plan.counted !== undefined && glimpse === undefined && mayBeAlone)
      return this.#look(plan, plan.counted)
    return (await this.#course.run(this.#compiler.call(select, plan))).rows
  }

  async count(plan: CountPlan): Promise<number> {
    return countIn(await this.#course.run(this.#compiler.call(count, plan)))
  }

  async aggregate(plan: AggregatePlan): Promise<readonly Row[]> {
    return (await this.#course.run(this.#compiler.call(aggregate, plan))).rows
  }

  async insert(plan: InsertPlan): Promise<number> {
    return (await this.#write(INSERT, plan)).count
  }

  async append(row: Pick<InsertPlan, 'table' | 'values'>): Promise<void> {
    this.#course.append(row)
  }

  async insertRows(plan: InsertRowsPlan): Promise<number> {
    let written = 0
    for (const part of statementsOf(plan))
      written += (await this.#course.run(this.#compiler.call(insertRows, part), plan.table)).count
    return written
  }

  async update(plan: UpdatePlan): Promise<{ readonly count: number; readonly rows: readonly Row[] }> {
    const { count: changed, rows } = await this.#write(UPDATE, plan)
    return { count: changed, rows }
  }

  async updateRows(plan: UpdateRowsPlan): Promise<number> {
    let changed = 0
    for (const part of changesOf(plan))
      changed += (await this.#course.run(this.#compiler.call(updateRows, part), plan.table)).count
    return changed
  }

  async claim(plan: ClaimPlan): Promise<readonly Row[]> {
    return (await this.#course.run(this.#compiler.call(claim, plan), plan.table)).rows
  }

  async remove(plan: RemovePlan): Promise<number> {
    return (await this.#course.run(this.#compiler.call(remove, plan), plan.table)).count
  }

  async exclusiveLock(name: string): Promise<void> {
    await this.#course.run(lockExclusive(name))
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

  apply(step: SchemaStep): Promise<readonly string[]> {
    return this.#changes.apply(step)
  }

  /** Does what waits for the end of the work. */
  finish(): Promise<void> {
    return this.#changes.finish()
  }

  #execute(sql: string): Promise<Answer> {
    return this.#course.run(plain(sql))
  }

  /**
   * Looks at a row to be held without holding it. If the next statement is the last and writes that row, it says by its own
   * condition that nobody else has; any other statement holds the row first.
   */
  async #look(plan: SelectPlan, counted: Column): Promise<readonly Row[]> {
    this.#course.assertOpen()
    const call = this.#compiler.call(select, { ...plan, lock: false })
    if (!call.statement.isByKey) return (await this.#course.run(this.#compiler.call(select, plan))).rows
    const rows = this.#reads.run(call).then(
      (answer) => answer.rows,
      (error: unknown) => {
        throw faultOf(error)
      },
    )
    const glimpse: Glimpse = { plan, counted, rows }
    this.#course.lookAt(glimpse)
    return (glimpse.seen = await rows)
  }

  /** A write that is alone asks what has to be asked by its own condition. */
  #write<P extends InsertPlan | UpdatePlan>(kind: WriteKind<P>, plan: P): Promise<Answer> {
    const course = this.#course
    const own =
      plan.last === true && course.mayBeAlone ? alone(kind, plan, this.#compiler, course) : undefined
    if (own === undefined) return course.run(this.#compiler.call(kind.form, plan), plan.table, plan.last)
    return course.alone(() => this.#writes.run(own), plan.table, own.asks)
  }
}
