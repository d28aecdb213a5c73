import { stat } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { errors, type Logger } from '@svc/kernel'
import { Compiler } from '../compile/compiler.ts'
import { ddl } from '../compile/ddl.ts'
import type {
  Catalog,
  Definition,
  Opening,
  Reader,
  Store,
  Transaction,
  TransactionOptions,
} from '../contract.ts'
import type { LongReadLimits } from '../long-reads.ts'
import { missingSteps } from '../missing.ts'
import { SeenTables } from '../seen-tables.ts'
import type {
  AggregatePlan,
  CountPlan,
  Row,
  SchemaStep,
  SelectPlan,
  SpatialRelation,
  SpatialTest,
  StoreFeature,
  Table,
} from '../plan.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { dataVersion } from './counts.ts'
import { sqliteDialect } from './dialect.ts'
import { FileState } from './file-state.ts'
import type { SqliteFunction } from './functions.ts'
import { readCatalog } from './introspect.ts'
import { patiently } from './patience.ts'
import { keepPrivate } from './private-file.ts'
import { SqliteReader } from './reader.ts'
import { Reads } from './reads.ts'
import { scrubFile } from './scrub.ts'
import { RELATES } from './spatial.ts'
import { Writer } from './writer.ts'

export interface StoreOptions extends ConnectionOptions {
  readonly log: Logger
  readonly longReads: LongReadLimits
}

/** A database in one file: one connection writes, and reads while it does not; another reads meanwhile. */
export class SqliteStore implements Store {
  readonly name: string
  readonly dialect = 'sqlite'
  readonly #features = new Set<StoreFeature>(['scrub', 'ordered'])
  readonly features: ReadonlySet<StoreFeature> = this.#features
  readonly wanting: ReadonlyMap<StoreFeature, string> = new Map()
  /** What its connections learned beside what each of them knows; threads know none of it. */
  readonly #learned = new Map<string, SqliteFunction>()
  /** What was read as the latest transaction began. */
  readonly #openings = new WeakMap<SelectPlan, { readonly begun: number; readonly rows: readonly Row[] }>()
  readonly #compiler = new Compiler(sqliteDialect(this.#features))
  readonly #options: ConnectionOptions
  readonly #writing: Connection
  readonly #writer: Writer
  readonly #state: FileState
  readonly #reads: Reads
  readonly #reader: SqliteReader
  readonly #journal: SqliteStore | undefined
  readonly #seen = new SeenTables()

  private constructor(name: string, options: StoreOptions, writing: Connection, journal?: SqliteStore) {
    this.name = name
    this.#journal = journal
    // Threads are handed these, and a log cannot go there.
    const { log, ...own } = options
    this.#options = { ...own, learned: this.#learned }
    this.#writing = writing
    this.#state = new FileState(options.path, log)
    this.#writer = new Writer(writing, this.#compiler, this.#state)
    this.#reads = new Reads(this.#options, writing)
    this.#reader = new SqliteReader({
      compiler: this.#compiler,
      reads: this.#reads,
      options: this.#options,
      longReads: options.longReads,
    })
  }

  /** Opens the file and its journal's, or makes them, for nobody else to read. Throws as SQLite does. */
  static async open(name: string, options: StoreOptions): Promise<SqliteStore> {
    keepPrivate(options.path)
    const writing = await patiently(() => new Connection(options))
    try {
      const path = journalPath(options.path)
      const aside: StoreOptions = { ...options, path, synchronous: 'normal', isFrugal: true }
      keepPrivate(path)
      const journal = new SqliteStore(`${name}.journal`, aside, await patiently(() => new Connection(aside)))
      return new SqliteStore(name, options, writing, journal)
    } catch (error) {
      writing.close()
      throw error
    }
  }

  /** A file of its own: a commit empties the caches of all readers of its file, and keeps other writers out. */
  get journal(): Store {
    return this.#journal ?? this
  }

  select(plan: SelectPlan): Promise<readonly Row[]> {
    return this.#reader.select(plan)
  }

  selectSync(plan: SelectPlan): readonly Row[] | undefined {
    return this.#reader.selectSync(plan)
  }

  count(plan: CountPlan): Promise<number> {
    return this.#reader.count(plan)
  }

  aggregate(plan: AggregatePlan): Promise<readonly Row[]> {
    return this.#reader.aggregate(plan)
  }

  stream(plan: Omit<SelectPlan, 'lock' | 'text'>, size: number): AsyncIterable<readonly Row[]> {
    return this.#reader.stream(plan, size)
  }

  /** There is one writer, and its queue is fair: many rows are no special case. */
  transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    { opening }: TransactionOptions = {},
  ): Promise<T> {
    return this.#writer.transaction(this.#opened(work, opening))
  }

  define<T>(
    work: (definition: Definition) => Promise<T>,
    { opening }: Pick<TransactionOptions, 'opening'> = {},
  ): Promise<T> {
    return this.#writer.define(this.#opened(work, opening))
  }

  compareGeometries(test: SpatialTest): void {
    this.#learned.set(RELATES, relating(test))
    this.#writing.learn(this.#learned)
    this.#reads.learn(this.#learned)
    this.#features.add('spatial')
  }

  async ensure(tables: readonly Table[]): Promise<void> {
    const names = tables.map(({ name }) => name)
    if (await patiently(() => this.#haveAll(tables, names))) return
    this.#seen.miss()
    await this.define(async (definition) => {
      // Read again: another server may have been first.
      for (const step of missingSteps(tables, readCatalog(this.#writing, names))) await definition.apply(step)
    })
  }

  #haveAll(tables: readonly Table[], names: readonly string[]): boolean {
    const { apart } = this.#reads
    // It is counted up with every change of the schema.
    const state = apart.all('pragma schema_version')[0]?.['schema_version']
    if (this.#seen.have(tables, state)) return true
    const own = this.#seen.isWorth(tables)
    const there = readCatalog(apart, names, own)
    if (own) this.#seen.see(there, state)
    return missingSteps(tables, there).length === 0
  }

  async state(): Promise<string> {
    return patiently(() => dataVersion(this.#reads.apart))
  }

  explain(step: SchemaStep): readonly string[] {
    return ddl(step, this.#compiler.dialect).map(({ sql }) => this.#compiler.text(sql))
  }

  async catalog(): Promise<Catalog> {
    return patiently(() => readCatalog(this.#reads.apart))
  }

  /** All of it, and its journal: pages hold rows of any table. */
  async scrub(): Promise<void> {
    // What connections have learned stays with them.
    const { learned: _, ...options } = this.#options
    await this.#writer.apart(() => scrubFile(options))
    await this.#journal?.scrub()
  }

  async size(): Promise<number> {
    const [own, journal] = await Promise.all([stat(this.#options.path), this.#journal?.size()])
    return own.size + (journal ?? 0)
  }

  /** Rejects where the file cannot be read, or could not be written lately and still cannot. */
  async check(): Promise<void> {
    await patiently(() => this.#reads.apart.all('select count(*) from sqlite_schema'))
    if (this.#state.fault === undefined) return
    await this.#writer.attempt().catch(() => undefined)
    const { fault } = this.#state
    if (fault !== undefined) throw errors.UNAVAILABLE({ message: `The file cannot be written (${fault})` })
  }

  /** Finishes the writes that wait, and lets the file go. */
  async close(): Promise<void> {
    this.#reads.close()
    await this.#reader.close()
    await this.#writer.close()
    await this.#journal?.close()
  }

  /** Work whose transaction opens with a question; works that share a commit share what is read for it. */
  #opened<R extends Reader, T>(
    work: (reader: R) => Promise<T>,
    opening: Opening | undefined,
  ): (reader: R) => Promise<T> {
    if (opening === undefined) return work
    return async (reader) => {
      const judged = opening.judge(await this.#openingRows(opening.plan, reader), reader)
      if (judged !== undefined) await judged
      return work(reader)
    }
  }

  async #openingRows(plan: SelectPlan, reader: Reader): Promise<readonly Row[]> {
    const { begun } = this.#writing
    const known = this.#openings.get(plan)
    if (known?.begun === begun) return known.rows
    const rows = await reader.select(plan)
    this.#openings.set(plan, { begun, rows })
    return rows
  }
}

/** `data/app.db` has its journal in `data/app.journal.db`. */
function journalPath(path: string): string {
  const { dir, name, ext } = parse(path)
  return join(dir, `${name}.journal${ext}`)
}

const isRelation = (name: unknown): name is SpatialRelation => name === 'intersects' || name === 'within'

/** A test as SQLite calls it: null for null. */
const relating =
  (test: SpatialTest): SqliteFunction =>
  (by, geometry, area) =>
    isRelation(by) && typeof geometry === 'string' && typeof area === 'string'
      ? Number(test(by, geometry, area))
      : null
