import Database from 'better-sqlite3'
import { LRUCache } from 'lru-cache'
import type { Bound } from '../compile/dialect.ts'
import type { Value } from '../plan.ts'
import { lengthOf } from '../part.ts'
import type { RawRows } from '../rows.ts'
import { ExactSum } from '../exact-sum.ts'
import { SQLITE_AGGREGATES, step } from './aggregates.ts'
import { SQLITE_FUNCTIONS, type SqliteFunction } from './functions.ts'

export interface ConnectionOptions {
  readonly path: string
  readonly readonly: boolean
  readonly synchronous: 'full' | 'normal'
  /** For what is read seldom or once: it keeps few pages in memory. */
  readonly isFrugal?: boolean
  /** For one long read: what it has to sort goes to a file. */
  readonly sortsInFile?: boolean
  /** How long a statement may stand still for a lock, in milliseconds: for one whose thread has nothing else to do. */
  readonly patienceMs?: number
  /** Functions beside those that every connection has. */
  readonly learned?: ReadonlyMap<string, SqliteFunction>
}

type RawRow = RawRows[number]
/** The values of a row in the order of its columns. */
type Cells = readonly Value[]

interface Prepared {
  readonly statement: Database.Statement<unknown[], Cells>
  /** The columns that it answers. */
  readonly names: readonly string[]
}

/** How long a statement may stand still for a lock, in milliseconds: the whole process stands with it. */
const BUSY_SLICE_MS = 5
const KEPT_STATEMENTS = 1000
/**
 * Pages of 4 KiB in the log before it is written back. Medians of four runs: against SQLite's own 1000, commits of
 * 50 rows take an eighth less and smaller ones the same; 20,000 saves a further tenth on those, and makes commits
 * of a single row half as slow again.
 */
const CHECKPOINT_PAGES = 4000
const CACHE_KIB = 32 * 1024
const FRUGAL_CACHE_KIB = 4 * 1024

/** One connection to the file, with its statements kept prepared. Everything on it happens at once. */
export class Connection {
  readonly #database: Database.Database
  readonly #statements = new LRUCache<string, Prepared>({
    maxSize: KEPT_STATEMENTS,
    sizeCalculation: () => 1,
  })
  #begun = 0
  #isHeld = false

  constructor({
    path,
    readonly,
    synchronous,
    isFrugal = false,
    sortsInFile = false,
    patienceMs = BUSY_SLICE_MS,
    learned,
  }: ConnectionOptions) {
    this.#database = new Database(path, { readonly, timeout: patienceMs })
    try {
      if (!readonly) this.#database.pragma('journal_mode = wal')
      this.#database.pragma(`synchronous = ${synchronous}`)
      this.#database.pragma('foreign_keys = on')
      // What is removed or overwritten leaves no bytes behind in its page.
      if (!readonly) this.#database.pragma('secure_delete = on')
      this.#database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
      this.#database.pragma(`cache_size = -${isFrugal ? FRUGAL_CACHE_KIB : CACHE_KIB}`)
      // A file that shrinks under a memory map ends the process, so pages are read, not mapped.
      this.#database.pragma('mmap_size = 0')
      this.#database.pragma(`temp_store = ${sortsInFile ? 'file' : 'memory'}`)
      this.learn(SQLITE_FUNCTIONS)
      if (learned) this.learn(learned)
      for (const [name, result] of SQLITE_AGGREGATES) {
        this.#database.aggregate(name, { deterministic: true, start: () => new ExactSum(), step, result })
      }
    } catch (error) {
      this.#database.close()
      throw error
    }
  }

  /** Takes up functions, which are pure, by their names in SQL. */
  learn(functions: ReadonlyMap<string, SqliteFunction>): void {
    for (const [name, call] of functions)
      this.#database.function(name, { deterministic: true, varargs: true }, call)
  }

  /** Runs a statement that answers rows. */
  all(sql: string, values: readonly Bound[] = []): RawRows {
    const { statement, names } = this.#prepared(sql)
    return statement.all(values).map((cells) => rowOf(names, cells))
  }

  /** The same, or undefined where its rows have more than so many characters together. */
  upTo(length: number, sql: string, values: readonly Bound[]): RawRows | undefined {
    const rows: RawRows = []
    let sum = 0
    for (const row of this.iterate(sql, values)) {
      sum += lengthOf(row)
      if (sum > length) return undefined
      rows.push(row)
    }
    return rows
  }

  /** How SQLite would go about a statement, step by step. */
  steps(sql: string, values: readonly Bound[]): readonly string[] {
    const plan = this.#database.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
    return plan.all(values).map(({ detail }) => detail)
  }

  /** Runs a statement row by row; until its end the connection can do nothing else. */
  *iterate(sql: string, values: readonly Bound[] = []): IterableIterator<RawRow> {
    const { statement, names } = this.#prepared(sql)
    for (const cells of statement.iterate(values)) yield rowOf(names, cells)
  }

  /** Runs any other statement; answers how many rows it changed. */
  run(sql: string, values: readonly Bound[] = []): number {
    this.letGo()
    return this.#prepared(sql).statement.run(values).changes
  }

  /**
   * Has what is read from now on be of one state of the file, which is locked once for all of it and not anew for each
   * statement, until it is let go.
   */
  hold(): void {
    this.run('begin')
    this.#isHeld = true
  }

  get isHeld(): boolean {
    return this.#isHeld
  }

  /** Reads what is there now again. Whatever else than reading is asked for does so first. */
  letGo(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    // Unlike a commit this cannot fail, and there is nothing to be undone.
    if (this.#database.inTransaction) this.run('rollback')
  }

  /** Begins a transaction that writes. */
  begin(): void {
    this.#begun += 1
    this.run('begin immediate')
  }

  /** How often a transaction that writes was begun. */
  get begun(): number {
    return this.#begun
  }

  commit(): void {
    this.run('commit')
  }

  /** Runs statements of one time only. */
  execute(sql: string): void {
    this.letGo()
    this.#database.exec(sql)
  }

  /** False too where SQLite ended a transaction by itself, for example because the disk is full. */
  get inTransaction(): boolean {
    return this.#database.inTransaction && !this.#isHeld
  }

  close(): void {
    this.letGo()
    this.#database.close()
  }

  #prepared(sql: string): Prepared {
    const kept = this.#statements.get(sql)
    if (kept !== undefined) return kept
    const statement = this.#database.prepare<unknown[], Cells>(sql)
    const names = statement.reader
      ? statement
          .raw(true)
          .columns()
          .map(({ name }) => name)
      : []
    const prepared = { statement, names }
    this.#statements.set(sql, prepared)
    return prepared
  }
}

/** The driver's own objects are dictionaries, which are slow to make, to read and to write out as JSON. */
function rowOf(names: readonly string[], cells: Cells): RawRow {
  const row: RawRow = {}
  for (let at = 0; at < names.length; at += 1) row[names[at]!] = cells[at]!
  return row
}
