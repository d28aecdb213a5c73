import type { EventEmitter } from 'node:events'
import { type ClientBase, type Connection, type FieldDef, Query } from 'pg'
import type { Bound } from '../compile/dialect.ts'
import type { Call, Statement } from '../compile/compiler.ts'
import type { Row } from '../plan.ts'
import type { RawRows } from '../rows.ts'
import { tooLong } from '../part.ts'
import { codeOf } from './faults.ts'
import { type Fields, fieldReader, type ReadFields } from './fields.ts'

/** What the server answered to one statement. */
export interface Answer {
  readonly rows: readonly Row[]
  /** The rows that were answered or written. */
  readonly count: number
  /** What was done, as PostgreSQL names it, for example `UPDATE 1`. */
  readonly command: string
}

/** What came of a round: the statements that were carried out for good, and why the next one was not, where there is one more. */
export interface Outcome {
  readonly answers: readonly Answer[]
  readonly failure: { readonly error: unknown } | undefined
  /** Whether anything left for the server. */
  readonly isSent: boolean
}

/**
 * Sends statements in one message, and waits for all of their answers at once: one way to the server and back. The
 * first that fails is the last that is carried out. Never rejects.
 */
export function runRound(client: ClientBase, calls: readonly Call[]): Promise<Outcome> {
  return new Promise((resolve) => void client.query(new Round(calls, resolve)))
}

/** What the driver asks of a query beside what is overridden below. */
const DriverQuery: new (text: string) => EventEmitter = Query

/** The driver leaves a query that brings this alone; it is told of everything by the methods below. */
const handled = () => undefined

/** The statements that a connection has prepared, and how their rows are read: those are described once. */
const prepared = new WeakMap<Connection, Map<string, ReadFields>>()

/** A row of a statement that answers none. */
const noFields: ReadFields = () => ({})

/** Codes of a prepared statement that is of no more use: its result has another type, or it is gone. */
const STALE = new Set(['0A000', '26000'])

class Round extends DriverQuery {
  readonly callback = handled
  readonly calls: readonly Call[]
  readonly #resolve: (outcome: Outcome) => void
  readonly #answers: Answer[] = []
  /** The place of the statement that is being answered. */
  #at = 0
  #known: Map<string, ReadFields> | undefined = undefined
  #read: ReadFields | undefined = undefined
  #rows: RawRows = []
  /** How many characters its rows have so far. */
  #length = 0
  #failure: Outcome['failure'] = undefined
  #isSent = false

  constructor(calls: readonly Call[], resolve: (outcome: Outcome) => void) {
    super('')
    this.calls = calls
    this.#resolve = resolve
  }

  /** Is called by the driver when it is this query's turn to leave. */
  submit(connection: Connection): void {
    const { stream } = connection
    // A dead connection tells of itself, and fails what waits for it.
    if (!stream.writable) return
    this.#isSent = true
    let known = prepared.get(connection)
    if (known === undefined) prepared.set(connection, (known = new Map()))
    this.#known = known
    stream.cork()
    for (const call of this.calls) send(connection, call, known)
    connection.sync()
    stream.uncork()
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    const { statement } = this.calls[this.#at]!
    this.#read = fieldReader(fields, statement.text)
    if (statement.name !== '') this.#known?.set(statement.name, this.#read)
  }

  handleDataRow({ fields }: { readonly fields: Fields }): void {
    const { statement, most } = this.calls[this.#at]!
    const read = this.#read ?? this.#known?.get(statement.name) ?? noFields
    this.#read = read
    if (most !== undefined) {
      for (const field of fields) this.#length += field?.length ?? 0
      if (this.#length > most) this.#failure ??= { error: tooLong() }
    }
    // Nobody will see the rows: they need no room.
    if (this.#failure !== undefined) {
      this.#rows = []
      return
    }
    try {
      this.#rows.push(read(fields))
    } catch (error) {
      this.#failure ??= { error }
    }
  }

  handleCommandComplete({ text: command }: { readonly text: string }): void {
    const { statement } = this.calls[this.#at]!
    const { name } = statement
    if (this.#read === undefined && name !== '' && !this.#known?.has(name)) this.#known?.set(name, noFields)
    const rows = this.#decoded(statement)
    const count = Number(command.slice(command.lastIndexOf(' ') + 1))
    if (this.#failure === undefined) this.#answers.push({ rows, count, command })
    this.#at += 1
    this.#rows = []
    this.#length = 0
    this.#read = undefined
  }

  handleReadyForQuery(): void {
    this.#settle()
  }

  handleError(error: unknown): void {
    const failed = this.calls[this.#at]
    if (failed !== undefined && STALE.has(codeOf(error) ?? '')) this.#known?.delete(failed.statement.name)
    this.#failure ??= { error }
    this.#takeBack()
    this.#settle()
  }

  /**
   * The server makes durable what was done outside of a transaction as the message ends, behind the last answer: where
   * that fails nothing was done. An end of a transaction says itself that it is durable.
   */
  #takeBack(): void {
    const answers = this.#answers
    if (answers.length === this.calls.length && answers.at(-1)?.command !== 'COMMIT') answers.pop()
  }

  #settle(): void {
    this.#resolve({ answers: this.#answers, failure: this.#failure, isSent: this.#isSent })
  }

  #decoded({ decode, text }: Statement): readonly Row[] {
    if (decode === undefined || text !== undefined) return this.#rows
    try {
      return decode(this.#rows)
    } catch (error) {
      this.#failure ??= { error }
      return []
    }
  }
}

/** A statement that was not prepared here before may be so all the same, where its first run failed. */
function send(connection: Connection, { statement, values }: Call, known: ReadonlyMap<string, ReadFields>) {
  const { name, sql } = statement
  const isKnown = known.has(name)
  if (!isKnown) {
    if (name !== '') connection.close({ type: 'S', name }, true)
    connection.parse({ name, text: sql, types: [] }, true)
  }
  connection.bind({ statement: name, values: values.map(textOf) }, true)
  if (!isKnown) connection.describe({ type: 'P' }, true)
  connection.execute(null, true)
}

/** A value as text, in the form that the server reads. */
function textOf(value: Bound): string | null {
  if (typeof value === 'string' || value === null) return value
  return typeof value === 'object' ? listOf(value) : String(value)
}

const BACKSLASH = '\\'
const TWO = String.raw`\\`
const QUOTE = String.raw`\"`

/** A list in the form that the server reads arrays in. */
const listOf = (values: readonly Bound[]): string => `{${values.map(elementOf).join(',')}}`

function elementOf(value: Bound): string {
  if (value === null) return 'NULL'
  if (typeof value === 'object') return listOf(value)
  return `"${String(value).replaceAll(BACKSLASH, TWO).replaceAll('"', QUOTE)}"`
}
