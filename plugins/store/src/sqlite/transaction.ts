import { errors } from '@svc/kernel'
import { claim } from '../compile/claim.ts'
import { aggregate } from '../compile/aggregate.ts'
import type { Compiler } from '../compile/compiler.ts'
import { insert } from '../compile/insert.ts'
import { insertRows, valuesOf } from '../compile/insert-rows.ts'
import { remove } from '../compile/remove.ts'
import { count, select } from '../compile/select.ts'
import { update } from '../compile/update.ts'
import { updateOf } from '../compile/update-rows.ts'
import { ddl } from '../compile/ddl.ts'
import type { Definition } from '../contract.ts'
import { StoreConflict } from '../faults.ts'
import { Listeners } from '../listeners.ts'
import type {
  AggregatePlan,
  ClaimPlan,
  CountPlan,
  Increment,
  Index,
  InsertPlan,
  InsertRowsPlan,
  RemovePlan,
  Row,
  SchemaStep,
  SelectPlan,
  Table,
  UpdatePlan,
  UpdateRowsPlan,
  Value,
} from '../plan.ts'
import type { Connection } from './connection.ts'
import { conflictOf, faultOf } from './faults.ts'
import { readCount, readRows } from './read.ts'
import { fillSearch } from './search.ts'
import { fillSpatial } from './spatial.ts'
import type { Turn } from './turn.ts'

/** A transaction on the writing connection. It lives as long as the work that it was made for. */
export class SqliteTransaction implements Definition {
  readonly #connection: Connection
  readonly #compiler: Compiler
  readonly #turn: Turn
  #depth = 0
  #hasEnded = false
  #uses = 0
  readonly #listeners = new Listeners()

  constructor(connection: Connection, compiler: Compiler, turn: Turn) {
    this.#connection = connection
    this.#compiler = compiler
    this.#turn = turn
  }

  /** How often it was used so far: a work that takes long differs from one that stands idle. */
  get uses(): number {
    return this.#uses
  }

  /** From now on every use throws. */
  end(): void {
    this.#hasEnded = true
  }

  afterCommit(listener: () => void): void {
    this.#assertOpen()
    this.#listeners.add(listener)
  }

  /** Tells that it is durable. */
  committed(): void {
    this.#listeners.call()
  }

  async select(plan: SelectPlan): Promise<readonly Row[]> {
    if (this.#turn.isOver) await this.#turn.next()
    return this.#guarded(() => readRows(this.#connection, this.#compiler.call(select, plan)))
  }

  async count(plan: CountPlan): Promise<number> {
    if (this.#turn.isOver) await this.#turn.next()
    return this.#guarded(() => readCount(this.#connection, this.#compiler.call(count, plan)))
  }

  async aggregate(plan: AggregatePlan): Promise<readonly Row[]> {
    if (this.#turn.isOver) await this.#turn.next()
    return this.#guarded(() => readRows(this.#connection, this.#compiler.call(aggregate, plan)))
  }

  async insert(plan: InsertPlan): Promise<number> {
    if (this.#turn.isOver) await this.#turn.next()
    const { statement, values } = this.#compiler.call(insert, plan)
    return this.#write(plan.table, plan.values, () => this.#connection.run(statement.sql, values), plan.last)
  }

  async append(plan: Pick<InsertPlan, 'table' | 'values'>): Promise<void> {
    await this.insert(plan)
  }

  async insertRows(plan: InsertRowsPlan): Promise<number> {
    const [first] = plan.rows
    if (first === undefined) return 0
    // A statement of one row, run for each: SQLite takes half the time that it takes for many rows in a statement.
    const { statement } = this.#compiler.call(insertRows, { ...plan, rows: [first] })
    let written = 0
    for (const values of valuesOf(plan, this.#compiler.dialect)) {
      if (this.#turn.isOver) await this.#turn.next()
      written += this.#write(plan.table, {}, () => this.#connection.run(statement.sql, values))
    }
    return written
  }

  async update(plan: UpdatePlan): Promise<{ readonly count: number; readonly rows: readonly Row[] }> {
    if (this.#turn.isOver) await this.#turn.next()
    const call = this.#compiler.call(update, plan)
    return this.#write(
      plan.table,
      plan.set,
      () => {
        if (!call.statement.answers) {
          return { count: this.#connection.run(call.statement.sql, call.values), rows: [] }
        }
        const rows = readRows(this.#connection, call)
        return { count: rows.length, rows }
      },
      plan.last,
    )
  }

  async updateRows({ table, rows, increments }: UpdateRowsPlan): Promise<number> {
    let changed = 0
    // One statement for each: SQLite is asked in this process, and keeps it prepared.
    for (const row of rows) {
      if (this.#turn.isOver) await this.#turn.next()
      const { statement, values } = this.#compiler.call(update, updateOf(table, row, increments))
      changed += this.#write(table, row, () => this.#connection.run(statement.sql, values))
    }
    return changed
  }

  async claim(plan: ClaimPlan): Promise<readonly Row[]> {
    if (this.#turn.isOver) await this.#turn.next()
    const call = this.#compiler.call(claim, plan)
    return this.#write(plan.table, plan.set, () => readRows(this.#connection, call))
  }

  async remove(plan: RemovePlan): Promise<number> {
    if (this.#turn.isOver) await this.#turn.next()
    const { statement, values } = this.#compiler.call(remove, plan)
    return this.#write(plan.table, {}, () => this.#connection.run(statement.sql, values))
  }

  /** Nobody else writes while this does. */
  async exclusiveLock(): Promise<void> {
    this.#assertOpen()
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const name = `s${(this.#depth += 1)}`
    this.#guarded(() => this.#connection.run(`savepoint ${name}`))
    try {
      const result = await work()
      this.#guarded(() => this.#connection.run(`release ${name}`))
      return result
    } catch (error) {
      this.#guarded(() => {
        this.#connection.run(`rollback to ${name}`)
        this.#connection.run(`release ${name}`)
      })
      throw error
    } finally {
      this.#depth -= 1
    }
  }

  async apply(step: SchemaStep): Promise<readonly string[]> {
    const ran: string[] = []
    for (const statement of ddl(step, this.#compiler.dialect)) {
      if (this.#turn.isOver) await this.#turn.next()
      const sql = this.#compiler.text(statement.sql)
      ran.push(sql)
      this.#write(step.table, {}, () => this.#connection.execute(sql))
      if (statement.unfilled !== undefined) await this.#fill(step.table, statement.unfilled)
    }
    return ran
  }

  /** Indexes the rows that are there, a few at a time. */
  async #fill(table: Table, index: Index): Promise<void> {
    const { next, fill } = index.search ? fillSearch(table, index) : fillSpatial(table, index)
    const texts = { next: this.#compiler.text(next), fill: this.#compiler.text(fill) }
    for (let from = 0; ;) {
      if (this.#turn.isOver) await this.#turn.next()
      const to = this.#guarded(() => this.#connection.all(texts.next, [from])[0]?.['number'])
      if (typeof to !== 'number') return
      this.#guarded(() => this.#connection.run(texts.fill, [from, to]))
      from = to
    }
  }

  #guarded<T>(use: () => T): T {
    this.#assertOpen()
    try {
      return use()
    } catch (error) {
      throw faultOf(error)
    }
  }

  #write<T>(
    table: Table,
    values: Readonly<Record<string, Value | Increment>>,
    use: () => T,
    isLast = false,
  ): T {
    this.#assertOpen()
    if (isLast) this.end()
    try {
      return use()
    } catch (error) {
      const conflict = conflictOf(error, table)
      if (conflict?.kind === 'foreignKey') throw this.#locate(conflict, table, values)
      throw conflict ?? faultOf(error)
    }
  }

  /** SQLite does not say which reference misses its row, so the rows are looked for. */
  #locate(
    conflict: StoreConflict,
    table: Table,
    values: Readonly<Record<string, Value | Increment>>,
  ): StoreConflict {
    const missing = table.foreignKeys.filter(({ column, references }) => {
      const value = Object.hasOwn(values, column.name) ? values[column.name] : null
      if (value === null || typeof value === 'object' || value === undefined) return false
      const found = `select 1 from ${quoted(references.table)} where ${quoted(references.column)} = ?`
      return this.#connection.all(found, [value]).length === 0
    })
    const columns = missing.map(({ column }) => column.name)
    return new StoreConflict('foreignKey', table.name, columns, conflict.cause)
  }

  /** A transaction that SQLite ended by itself takes no more writes: they would stand alone. */
  #assertOpen(): void {
    this.#uses += 1
    if (this.#hasEnded) throw new Error('this transaction has ended: await all of its work inside it')
    if (!this.#connection.inTransaction) {
      throw errors.UNAVAILABLE({ message: 'The database gave the transaction up: try again' })
    }
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
