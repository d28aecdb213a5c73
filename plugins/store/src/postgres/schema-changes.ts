import type { Call, Compiler } from '../compile/compiler.ts'
import { ddl } from '../compile/ddl.ts'
import type { Dialect } from '../compile/dialect.ts'
import type { SchemaStep, Table } from '../plan.ts'
import type { Answer } from './round.ts'
import { plain } from './run.ts'

type Run = (call: Call, written?: Table) => Promise<Answer>

const HAS_TABLE = plain('select to_regclass(quote_ident($1)) is not null as "there"')

/** The changes of the schema that one transaction makes. */
export class SchemaChanges {
  readonly #compiler: Compiler
  readonly #dialect: Dialect
  readonly #run: Run
  /** Foreign keys whose table is still to be made. */
  #waiting: readonly { readonly sql: string; readonly needs: string }[] = []

  constructor(compiler: Compiler, dialect: Dialect, run: Run) {
    this.#compiler = compiler
    this.#dialect = dialect
    this.#run = run
  }

  /** Applies a step; answers the statements that it ran or left for later. */
  async apply(step: SchemaStep): Promise<readonly string[]> {
    const ran: string[] = []
    const { table } = step
    const written =
      step.kind === 'createIndex' ? { ...table, indexes: [...table.indexes, step.index] } : table
    for (const statement of ddl(step, this.#dialect)) {
      const sql = this.#compiler.text(statement.sql)
      ran.push(sql)
      const { needs } = statement
      if (needs === undefined || (await this.#has(needs))) await this.#run(plain(sql), written)
      else this.#waiting = [...this.#waiting, { sql, needs }]
    }
    if (step.kind === 'createTable') await this.#addForeignKeys(step.table.name)
    return ran
  }

  /** Does what was left for later. */
  async finish(): Promise<void> {
    if (this.#waiting.length > 0) await this.#addForeignKeys()
  }

  /** Adds the foreign keys that waited for `table`; all that are left where none is named. */
  async #addForeignKeys(table?: string): Promise<void> {
    const ready = this.#waiting.filter(({ needs }) => table === undefined || needs === table)
    this.#waiting = this.#waiting.filter((statement) => !ready.includes(statement))
    for (const { sql } of ready) await this.#run(plain(sql))
  }

  async #has(table: string): Promise<boolean> {
    const { rows } = await this.#run({ statement: HAS_TABLE.statement, values: [table] })
    return rows[0]?.['there'] === true
  }
}
