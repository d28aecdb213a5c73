import { createHash } from 'node:crypto'
import { createQueryId } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Column, Table } from '../plan.ts'
import { type DecodeRows, rowDecoder, textWriter } from '../rows.ts'
import { kindsOf } from './columns.ts'
import { type Bound, type Dialect, type Sql, writtenText } from './dialect.ts'
import type { Form } from './form.ts'
import { OWNER, ownerKeyOf } from './owner.ts'
import { Shape } from './shape.ts'

/** What is kept of a shape. */
export interface Statement {
  readonly sql: string
  /**
   * Names the statement where a server keeps it prepared; another type of a column makes another name. Without a name it
   * is planned anew for the values of each call.
   */
  readonly name: string
  readonly decode: DecodeRows | undefined
  /** Whether it answers rows. */
  readonly answers: boolean
  /**
   * Columns whose fields make up the text that a row answers, where SQL does not make it and no value has another form
   * at rest; before them it answers so many `values`. `decode` does the same with values.
   */
  readonly text: { readonly columns: readonly string[]; readonly values: number } | undefined
  /** Whether its rows are found by their key, which takes a server next to no time. */
  readonly isByKey: boolean
}

/** A statement and the values of one call. */
export interface Call {
  readonly statement: Statement
  readonly values: readonly Bound[]
  /** How many characters its rows may have together; as many as they have unless said. */
  readonly most?: number
}

/** Far more than a definition has; requests can make up new shapes, though. */
const SHAPES_PER_TABLE = 500

/** Turns plans into SQL; the text is kept by the shape of the plan, so that a call binds values and no more. */
export class Compiler {
  readonly dialect: Dialect
  readonly #tables = new WeakMap<Table, LRUCache<string, Statement>>()

  constructor(dialect: Dialect) {
    this.dialect = dialect
  }

  call<P extends { readonly table: Table }>(form: Form<P>, plan: P): Call {
    const shape = new Shape(form.kind, this.dialect)
    form.read(plan, shape)
    const statements = this.#statementsOf(plan.table)
    let statement = statements.get(shape.key)
    if (statement === undefined) {
      statement = this.#write(form, plan, shape)
      statements.set(shape.key, statement)
    }
    return { statement, values: shape.values }
  }

  /** The text of a piece of SQL that has no parameters. */
  text(sql: Sql): string {
    return this.#compile(sql).sql
  }

  #statementsOf(table: Table): LRUCache<string, Statement> {
    let statements = this.#tables.get(table)
    if (statements === undefined) {
      statements = new LRUCache({ maxSize: SHAPES_PER_TABLE, sizeCalculation: () => 1 })
      this.#tables.set(table, statements)
    }
    return statements
  }

  #write<P extends { readonly table: Table }>(form: Form<P>, plan: P, shape: Shape): Statement {
    const { sql, parameters } = this.#compile(form.write(plan, this.dialect))
    if (parameters.length !== shape.values.length) {
      throw new Error(`'${sql}' takes ${parameters.length} values, and the plan has ${shape.values.length}`)
    }
    const returned = form.returned(plan)
    const reading = this.#reading(returned, form.text?.(plan), ownerKeyOf(plan.table))
    return {
      sql,
      // How rows are read is remembered by the name too.
      name: shape.hasMany
        ? ''
        : statementName(sql, kindsOf(plan.table), shape.key, String(reading.text === undefined)),
      ...reading,
      answers: returned.length > 0,
      isByKey: form.isByKey?.(plan) ?? false,
    }
  }

  #reading(
    returned: readonly Column[],
    text: readonly Column[] = [],
    key?: Column,
  ): Pick<Statement, 'decode' | 'text'> {
    const { decode } = this.dialect
    if (text.length === 0 || writtenText(text, this.dialect) !== undefined)
      return { decode: rowDecoder(returned, decode, key), text: undefined }
    const decodeValues = rowDecoder([...new Set([...returned, ...text])], decode, key)
    const columns = text.map(({ name }) => name)
    return {
      decode: textWriter(
        text,
        returned.every(({ name }) => name === OWNER),
        decodeValues,
      ),
      text: decodeValues === undefined ? { columns, values: returned.length } : undefined,
    }
  }

  #compile(sql: Sql): { readonly sql: string; readonly parameters: readonly unknown[] } {
    // A compiler of its own for each statement: one that threw half-way keeps its rest.
    return this.dialect.createCompiler().compileQuery(sql.toOperationNode(), createQueryId())
  }
}

/** At most 63 bytes, as PostgreSQL keeps no more of a name. */
const statementName = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('base64url')
