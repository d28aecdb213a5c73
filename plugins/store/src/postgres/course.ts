import type { Call, Compiler } from '../compile/compiler.ts'
import { aggregate } from '../compile/aggregate.ts'
import { count, select } from '../compile/select.ts'
import type { Opening, Reader } from '../contract.ts'
import type { InsertPlan, Row, SelectPlan, Table } from '../plan.ts'
import { Appended } from './appended.ts'
import type { Conversation } from './conversation.ts'
import { conflictOf, faultOf, isCutOff, isTransient } from './faults.ts'
import { type Glimpse, isUnchanged } from './glimpse.ts'
import { lockShared } from './named-locks.ts'
import type { Answer } from './round.ts'
import { countIn, plain } from './run.ts'

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

/**
 * What becomes of a transaction on the server: it begins with its first statement, is judged before any of them is answered, and
 * ends with its last, or with one that is all of it.
 */
export class Course {
  /** What is written with whatever is said next. */
  readonly appended = new Appended()
  readonly #conversation: Conversation
  readonly #compiler: Compiler
  readonly #beginning: Beginning
  #glimpse: Glimpse | undefined
  #begun: Promise<unknown> | undefined
  /** Settles as the opening is judged. */
  #judged: Promise<void> | undefined
  #unjudged: Unjudged | undefined
  #committed: Promise<Answer> | undefined
  #isAlone = false
  /** Whether the last statement was said. */
  #isClosed = false
  #hasEnded = false
  #statements = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(conversation: Conversation, compiler: Compiler, beginning: Beginning) {
    this.#conversation = conversation
    this.#compiler = compiler
    this.#beginning = beginning
  }

  get opening(): Opening | undefined {
    return this.#beginning.opening
  }

  /** What was looked at without being held. */
  get glimpse(): Glimpse | undefined {
    return this.#glimpse
  }

  /** Whether nothing has begun, and a last write would need neither a beginning nor an end. */
  get mayBeAlone(): boolean {
    const { opening, prepare, mayAskAlone } = this.#beginning
    const isSure = opening === undefined || opening.unless !== undefined
    return mayAskAlone === true && isSure && this.#begun === undefined && prepare.length === 0
  }

  /** Whether nothing was done yet, and nothing can have been: a commit may have happened though nobody heard of it. */
  get isFresh(): boolean {
    const { answered, isSent } = this.#conversation
    return answered === 0 && !(isSent && this.#committed !== undefined)
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

  /** Holds a row, which was looked at, as soon as anything else is said than a write of it that is alone. */
  lookAt(glimpse: Glimpse): void {
    this.#glimpse = glimpse
  }

  append(row: Pick<InsertPlan, 'table' | 'values'>): void {
    this.assertOpen()
    this.appended.add(row)
    // A last write that is alone takes it along.
    if (!this.mayBeAlone && this.#begun === undefined) this.#begin()
  }

  /** Sends a statement; the server does one after the other. A last one is sent together with the commit. */
  run(call: Call, written?: Table, isLast = false): Promise<Answer> {
    this.assertOpen()
    return this.#inTurn(() => this.#send(call, isLast), written)
  }

  /** Sends, in another way, a statement that is all of it; `asks`: where it writes nothing, there is something to judge. */
  async alone(send: () => Promise<Answer>, written: Table, asks: boolean): Promise<Answer> {
    this.assertOpen()
    this.#isAlone = true
    this.#isClosed = true
    this.appended.clear()
    const answer = await this.#inTurn(send, written)
    if (!asks || answer.count > 0) return answer
    throw (this.#unjudged = new Unjudged())
  }

  /** Makes it durable. */
  async commit(): Promise<void> {
    await this.end()
    if (!this.appended.isEmpty && this.#begun === undefined) this.#begin()
    if (this.#judged !== undefined) await this.#judged
    if (this.#unjudged !== undefined) throw this.#unjudged
    this.#sayAppended()
    if (this.#begun !== undefined) assertCommitted(await (this.#committed ?? this.#conversation.say(COMMIT)))
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
    this.#hasEnded = true
    await this.#last
  }

  /** Throws where its work has ended, though its last statement may still be on its way. */
  assertUnended(): void {
    if (this.#hasEnded) throw ended()
  }

  assertOpen(): void {
    if (this.#hasEnded || this.#isClosed) throw ended()
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
    const isOver = new Promise<void>((resolve) => (end = resolve))
    this.#last = before.then(() => isOver)
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
    for (const call of this.appended.take(this.#compiler)) {
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
}

const ended = () => new Error('this transaction has ended: await all of its work inside it')

/** The server answers a commit of a failed transaction with a rollback, and calls that no error. */
function assertCommitted({ command }: Answer): void {
  if (command === 'COMMIT') return
  throw new Error(
    'a statement failed and the work went on: what may fail inside a transaction belongs into a savepoint',
  )
}
