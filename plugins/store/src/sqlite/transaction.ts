import { errors } from '@svc/kernel'
import type { Compiler } from '../compile/compiler.ts'
import { insert } from '../compile/insert.ts'
import { insertRows, valuesOf } from '../compile/insert-rows.ts'
import { remove } from '../compile/remove.ts'
import { count, select } from '../compile/select.ts'
import { update } from '../compile/update.ts'
import { ddl } from '../compile/ddl.ts'
import type { Definition } from '../contract.ts'
import { StoreConflict } from '../faults.ts'
import type {
  CountPlan,
  Increment,
  InsertPlan,
  InsertRowsPlan,
  RemovePlan,
  Row,
  SchemaStep,
  SelectPlan,
  Table,
  UpdatePlan,
  Value,
} from '../plan.ts'
import type { Connection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { conflictOf, faultOf } from './faults.ts'
import { readCount, readRows } from './read.ts'

/** A transaction on the writing connection. It lives as long as the work that it was made for. */
export class SqliteTransaction implements Definition {
  readonly #connection: Connection
  readonly #compiler: Compiler
  #depth = 0
  #ended: Error | undefined
  #uses = 0

  constructor(connection: Connection, compiler: Compiler) {
    this.#connection = connection
    this.#compiler = compiler
  }

  /** How often it was used so far: a work that takes long differs from one that stands idle. */
  get uses(): number {
    return this.#uses
  }

  /** From now on every use throws `reason`. */
  end(reason = new Error('this transaction has ended: await all of its work inside it')): void {
    this.#ended = reason
  }

  async select(plan: SelectPlan): Promise<readonly Row[]> {
    return this.#guarded(() => readRows(this.#connection, this.#compiler.call(select, plan)))
  }

  async count(plan: CountPlan): Promise<number> {
    return this.#guarded(() => readCount(this.#connection, this.#compiler.call(count, plan)))
  }

  async insert(plan: InsertPlan): Promise<number> {
    const { statement, values } = this.#compiler.call(insert, plan)
    return this.#write(plan.table, plan.values, () => this.#connection.run(statement.sql, values))
  }

  async insertRows(plan: InsertRowsPlan): Promise<number> {
    const [first] = plan.rows
    if (first === undefined) return 0
    // A statement of one row, run for each: SQLite takes half the time that it takes for many rows in a statement.
    const { statement } = this.#compiler.call(insertRows, { ...plan, rows: [first] })
    return this.#write(plan.table, {}, () => {
      let written = 0
      for (const values of valuesOf(plan, sqliteDialect))
        written += this.#connection.run(statement.sql, values)
      return written
    })
  }

  async update(plan: UpdatePlan): Promise<{ readonly count: number; readonly rows: readonly Row[] }> {
    const call = this.#compiler.call(update, plan)
    return this.#write(plan.table, plan.set, () => {
      if (!call.statement.answers) {
        return { count: this.#connection.run(call.statement.sql, call.values), rows: [] }
      }
      const rows = readRows(this.#connection, call)
      return { count: rows.length, rows }
    })
  }

  async remove(plan: RemovePlan): Promise<number> {
    const { statement, values } = this.#compiler.call(remove, plan)
    return this.#write(plan.table, {}, () => this.#connection.run(statement.sql, values))
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
    const statements = ddl(step, sqliteDialect).map(({ sql }) => this.#compiler.text(sql))
    this.#assertOpen()
    try {
      for (const sql of statements) this.#connection.execute(sql)
    } catch (error) {
      throw conflictOf(error, step.table) ?? faultOf(error)
    }
    return statements
  }

  #guarded<T>(use: () => T): T {
    this.#assertOpen()
    try {
      return use()
    } catch (error) {
      throw faultOf(error)
    }
  }

  #write<T>(table: Table, values: Readonly<Record<string, Value | Increment>>, use: () => T): T {
    this.#assertOpen()
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
    if (this.#ended !== undefined) throw this.#ended
    if (!this.#connection.inTransaction) {
      throw errors.UNAVAILABLE({ message: 'The database gave the transaction up: try again' })
    }
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
