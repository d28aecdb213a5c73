import type { Call, Compiler } from '../compile/compiler.ts'
import { claim } from '../compile/claim.ts'
import { aggregate } from '../compile/aggregate.ts'
import type { Dialect } from '../compile/dialect.ts'
import { insertRows, statementsOf } from '../compile/insert-rows.ts'
import { remove } from '../compile/remove.ts'
import { count, select } from '../compile/select.ts'
import type { Definition, Opening, Reader } from '../contract.ts'
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
  Table,
  UpdatePlan,
  UpdateRowsPlan,
} from '../plan.ts'
import { alone, type Before, INSERT, UPDATE, type WriteKind } from './alone.ts'
import { Appended } from './appended.ts'
import type { Conversation } from './conversation.ts'
import { conflictOf, faultOf, isCutOff, isTransient } from './faults.ts'
import { type Glimpse, isUnchanged } from './glimpse.ts'
import { lockExclusive, lockShared } from './named-locks.ts'
import type { Reads } from './reads.ts'
import type { Answer } from './round.ts'
import { statementsOf as changesOf, updateRows } from './update-rows.ts'
import { countIn, plain } from './run.ts'
import { SchemaChanges } from './schema-changes.ts'
import type { Writes } from './writes.ts'

/**
 * After so many statements, and again after as many, a transaction has its statements planned for the tables as they
 * are: a plan that was made for an empty table reads all of it, which a long import would do for every row.
 */
const PLANS_LAST = 1000
const PLAN_ANEW = plain('set local plan_cache_mode = force_custom_plan')
const BEGIN = plain('begin', 'begin')
const COMMIT = plain('commit', 'commit')
const ROLLBACK = plain('rollback', 'rollback')

/** What a transaction begins with. */
export interface Beginning {
  /** Statements that come first. */
  readonly prepare: readonly Call[]
  readonly opening?: Opening | undefined
  /** Whether a write that is alone may ask the opening's question by its own condition. */
  readonly mayAskAlone?: boolean
}

/** A write that was alone found that its opening has something to judge, or its row was written: nothing is written. */
export class Unjudged extends Error {}

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
  readonly #conversation: Conversation
  readonly #compiler: Compiler
  readonly #beginning: Beginning
  readonly #reads: Reads
  readonly #writes: Writes
  #glimpse: Glimpse | undefined
  #begun: Promise<unknown> | undefined
  /** Settles as the opening is judged. */
  #judged: Promise<void> | undefined
  #committed: Promise<Answer> | undefined
  #isClosed = false
  #isAlone = false
  #unjudged: Unjudged | undefined
  readonly #changes: SchemaChanges
  #depth = 0
  readonly #listeners = new Listeners()
  readonly #appended = new Appended()
  #ended = false
  #statements = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(conversation: Conversation, { compiler, dialect, reads, writes }: Means, beginning: Beginning) {
    this.#conversation = conversation
    this.#compiler = compiler
    this.#changes = new SchemaChanges(compiler, dialect, (call, written) => this.#run(call, written))
    this.#reads = reads
    this.#writes = writes
    this.#beginning = beginning
  }

  /** Begins it on the server, where that is still to be done, and resolves once that has happened and its opening is judged. */
  async begin(): Promise<void> {
    if (this.#begun === undefined) this.#begin()
    await this.#begun
    await this.#judged
  }

  /** Resolves once the opening is judged: by itself, or by the condition of a write that was alone. */
  async judge(): Promise<void> {
    if (this.#beginning.opening !== undefined && !this.#isAlone) await this.begin()
  }

  /** Whether nothing was done yet, and nothing can have been: a commit may have happened though nobody heard of it. */
  get isFresh(): boolean {
    const { answered, isSent } = this.#conversation
    return answered === 0 && !(isSent && this.#committed !== undefined)
  }

  /** Makes it durable. */
  async commit(): Promise<void> {
    await this.end()
    if (!this.#appended.isEmpty && this.#begun === undefined) this.#begin()
    if (this.#judged !== undefined) await this.#judged
    if (this.#unjudged !== undefined) throw this.#unjudged
    this.#sayAppended()
    if (this.#begun !== undefined) assertCommitted(await (this.#committed ?? this.#conversation.say(COMMIT)))
    this.#listeners.call()
  }

  /** Undoes it. */
  async rollback(): Promise<void> {
    await this.end()
    await this.#judged?.catch(() => undefined)
    await this.#begun?.catch(() => undefined)
    this.#conversation.forget()
    if (this.#begun === undefined || !this.#conversation.isSent) return
    // A commit behind a statement that failed is not carried out.
    const isCommitted = await this.#committed?.then(
      () => true,
      () => false,
    )
    if (!isCommitted) await this.#conversation.say(ROLLBACK).catch(() => undefined)
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
    if (plan.counted !== undefined && this.#glimpse === undefined && this.#mayBeAlone)
      return this.#look(plan, plan.counted)
    return (await this.#run(this.#compiler.call(select, plan))).rows
  }

  async count(plan: CountPlan): Promise<number> {
    return countIn(await this.#run(this.#compiler.call(count, plan)))
  }

  async aggregate(plan: AggregatePlan): Promise<readonly Row[]> {
    return (await this.#run(this.#compiler.call(aggregate, plan))).rows
  }

  async insert(plan: InsertPlan): Promise<number> {
    return (await this.#write(INSERT, plan)).count
  }

  async append(row: Pick<InsertPlan, 'table' | 'values'>): Promise<void> {
    this.#assertOpen()
    this.#appended.add(row)
    // A last write that is alone takes it along.
    if (!this.#mayBeAlone && this.#begun === undefined) this.#begin()
  }

  async insertRows(plan: InsertRowsPlan): Promise<number> {
    let written = 0
    for (const part of statementsOf(plan)) {
      written += (await this.#run(this.#compiler.call(insertRows, part), plan.table)).count
    }
    return written
  }

  async update(plan: UpdatePlan): Promise<{ readonly count: number; readonly rows: readonly Row[] }> {
    const { count: changed, rows } = await this.#write(UPDATE, plan)
    return { count: changed, rows }
  }

  async updateRows(plan: UpdateRowsPlan): Promise<number> {
    let changed = 0
    for (const part of changesOf(plan))
      changed += (await this.#run(this.#compiler.call(updateRows, part), plan.table)).count
    return changed
  }

  async claim(plan: ClaimPlan): Promise<readonly Row[]> {
    return (await this.#run(this.#compiler.call(claim, plan), plan.table)).rows
  }

  async remove(plan: RemovePlan): Promise<number> {
    return (await this.#run(this.#compiler.call(remove, plan), plan.table)).count
  }

  async exclusiveLock(name: string): Promise<void> {
    await this.#run(lockExclusive(name))
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
    return this.#run(plain(sql))
  }

  /**
   * Looks at a row to be held without holding it. If the next statement is the last and writes that row, it says by its own
   * condition that nobody else has; any other statement holds the row first.
   */
  async #look(plan: SelectPlan, counted: Column): Promise<readonly Row[]> {
    this.#assertOpen()
    const call = this.#compiler.call(select, { ...plan, lock: false })
    if (!call.statement.isByKey) return (await this.#run(this.#compiler.call(select, plan))).rows
    const rows = this.#reads.run(call).then(
      (answer) => answer.rows,
      (error: unknown) => {
        throw faultOf(error)
      },
    )
    const glimpse: Glimpse = { plan, counted, rows }
    this.#glimpse = glimpse
    return (glimpse.seen = await rows)
  }

  /** A write that is alone asks what has to be asked by its own condition. */
  async #write<P extends InsertPlan | UpdatePlan>(kind: WriteKind<P>, plan: P): Promise<Answer> {
    const own = plan.last === true && this.#mayBeAlone ? alone(kind, plan, this.#before) : undefined
    if (own === undefined) return this.#run(this.#compiler.call(kind.form, plan), plan.table, plan.last)
    this.#assertOpen()
    this.#isAlone = true
    this.#isClosed = true
    this.#appended.clear()
    const answer = await this.#inTurn(() => this.#writes.run(own), plan.table)
    if (!own.asks || answer.count > 0) return answer
    throw (this.#unjudged = new Unjudged())
  }

  get #before(): Before {
    const { unless, sharedLock } = this.#beginning.opening ?? {}
    return {
      compiler: this.#compiler,
      glimpse: this.#glimpse,
      unless,
      sharedLock,
      appended: this.#appended,
    }
  }

  /** Whether nothing has begun, and a last write would need neither a beginning nor an end. */
  get #mayBeAlone(): boolean {
    const { opening, prepare, mayAskAlone } = this.#beginning
    const isSure = opening === undefined || opening.unless !== undefined
    return mayAskAlone === true && isSure && this.#begun === undefined && prepare.length === 0
  }

  /** Sends a statement; the server does one after the other. A last one is sent together with the commit. */
  #run(call: Call, written?: Table, isLast = false): Promise<Answer> {
    this.#assertOpen()
    return this.#inTurn(() => this.#send(call, isLast), written)
  }

  async #send(call: Call, isLast: boolean): Promise<Answer> {
    if (this.#begun === undefined) this.#begin()
    this.#isClosed = isLast
    // What makes the transaction durable waits for the judgement, and everybody for it before an answer.
    if (isLast && this.#judged !== undefined) await this.#judged
    if (!isLast) this.#sayAppended()
    const sent = this.#conversation.say(call)
    if (isLast) {
      this.#sayAppended()
      this.#commit()
    }
    this.#statements += 1
    if (this.#statements % PLANS_LAST === 0) this.#conversation.say(PLAN_ANEW).catch(() => undefined)
    return sent
  }

  /** Everything that comes later waits for it, and what it fails with is told in the words of the store. */
  async #inTurn(send: () => Promise<Answer>, written?: Table): Promise<Answer> {
    const before = this.#last
    let end: () => void = () => undefined
    const ended = new Promise<void>((resolve) => (end = resolve))
    this.#last = before.then(() => ended)
    try {
      const answer = await send()
      if (this.#judged !== undefined) await this.#judged
      return answer
    } catch (error) {
      if (this.#judged !== undefined) await this.#judged
      // A connection that was dead before anything happened on it is exchanged for another.
      const isElsewhere = !this.#isAlone && this.isFresh && isCutOff(error)
      const isForOthers = isTransient(error) || isElsewhere
      throw (written && conflictOf(error, written)) ?? (isForOthers ? error : faultOf(error))
    } finally {
      end()
    }
  }

  /** Says what was appended: it leaves with whatever is said next, which fails where this does. */
  #sayAppended(): void {
    for (const call of this.#appended.take(this.#compiler)) {
      this.#conversation.sayLater(call).catch(() => undefined)
      this.#statements += 1
    }
  }

  #begin(): void {
    const { opening, prepare } = this.#beginning
    const conversation = this.#conversation
    const sent = [BEGIN, ...prepare, ...lockShared(opening?.sharedLock)].map((call) => conversation.say(call))
    if (opening !== undefined)
      this.#judged = this.#read(opening.plan).then((rows) => opening.judge(rows, this.#reader))
    if (this.#glimpse !== undefined) this.#judged = this.#hold(this.#glimpse, this.#judged)
    this.#judged?.catch(() => undefined)
    this.#begun = Promise.all(sent)
    this.#begun.catch(() => undefined)
  }

  /** Holds what was only looked at, behind what is judged before. */
  async #hold(glimpse: Glimpse, judged: Promise<void> | undefined): Promise<void> {
    const holding = this.#read(glimpse.plan)
    holding.catch(() => undefined)
    await judged
    if (!(await isUnchanged(glimpse, await holding))) throw (this.#unjudged = new Unjudged())
  }

  async #read(plan: SelectPlan): Promise<readonly Row[]> {
    return (await this.#conversation.say(this.#compiler.call(select, plan))).rows
  }

  /** Reads inside the transaction for those who judge whether it may go on. */
  readonly #reader: Reader = {
    select: (plan) => this.#read(plan),
    count: async (plan) => countIn(await this.#conversation.say(this.#compiler.call(count, plan))),
    aggregate: async (plan) => (await this.#conversation.say(this.#compiler.call(aggregate, plan))).rows,
  }

  #commit(): void {
    this.#committed = this.#conversation.say(COMMIT)
    this.#committed.catch(() => undefined)
  }

  #assertOpen(): void {
    if (this.#ended || this.#isClosed)
      throw new Error('this transaction has ended: await all of its work inside it')
  }
}

/** The server answers a commit of a failed transaction with a rollback, and calls that no error. */
function assertCommitted({ command }: Answer): void {
  if (command === 'COMMIT') return
  throw new Error(
    'a statement failed and the work went on: what may fail inside a transaction belongs into a savepoint',
  )
}
