import { capability } from '@svc/kernel'
import type {
  AggregatePlan,
  ClaimPlan,
  Condition,
  CountPlan,
  InsertPlan,
  InsertRowsPlan,
  RemovePlan,
  Row,
  SchemaStep,
  SelectPlan,
  SpatialTest,
  StoreFeature,
  Table,
  UpdatePlan,
  UpdateRowsPlan,
} from './plan.ts'

export * from './plan.ts'
export { SchemaMoved, StoreConflict, ValueRefused } from './faults.ts'
export { ARITHMETIC } from './arithmetic.ts'
export { exactAverage, exactSum } from './exact-sum.ts'
export { round } from './round.ts'
export { holds } from './holds.ts'
export { assertFits, MOST_LENGTH } from './part.ts'

/** Reads rows. */
export interface Reader {
  select(plan: SelectPlan): Promise<readonly Row[]>
  /** The same at once, or undefined where it would have to wait; absent where it always has. */
  selectSync?(plan: SelectPlan): readonly Row[] | undefined
  count(plan: CountPlan): Promise<number>
  /** What groups of rows come to, the same on every store. It keeps nobody else waiting, however many the rows. */
  aggregate(plan: AggregatePlan): Promise<readonly Row[]>
}

/** Reads and writes inside one transaction, and sees its own writes. */
export interface Transaction extends Reader {
  /** Answers the number of rows written: 1, or 0 where a conflict was ignored. Throws StoreConflict. */
  insert(plan: InsertPlan): Promise<number>
  /**
   * Writes a row of which nobody wants to know how that went, such as an entry of a ledger: it may be on its way when this
   * resolves, and leaves together with what is said next, the commit at the latest. Where it fails, this or whatever comes
   * next throws, and nothing of the transaction counts; so it is not for a row that may clash with another.
   */
  append(plan: Pick<InsertPlan, 'table' | 'values'>): Promise<void>
  /** Writes many rows at once; answers the number of rows written. Throws StoreConflict. */
  insertRows(plan: InsertRowsPlan): Promise<number>
  /** Answers how many rows changed, and the asked columns of each. Throws StoreConflict. */
  update(plan: UpdatePlan): Promise<{ readonly count: number; readonly rows: readonly Row[] }>
  /** Writes values of many rows at once, other ones in each; answers how many rows changed. Throws StoreConflict. */
  updateRows(plan: UpdateRowsPlan): Promise<number>
  /** Answers the rows that were claimed, in no order. Throws StoreConflict. */
  claim(plan: ClaimPlan): Promise<readonly Row[]>
  /** Answers how many rows are gone. Throws StoreConflict. */
  remove(plan: RemovePlan): Promise<number>
  /**
   * Waits until every transaction whose opening names this lock has ended, on whichever server, and lets none go on until this one
   * ends: what is read from now on has all that they wrote.
   */
  exclusiveLock(name: string): Promise<void>
  /** Runs `work` so that its failure undoes its own writes and nothing else. */
  savepoint<T>(work: () => Promise<T>): Promise<T>
  /**
   * Calls `listener` once the transaction is durable, and never where it is undone. Nobody waits for it, and what it
   * throws is lost: it wakes whoever else has to look, and does no work.
   */
  afterCommit(listener: () => void): void
}

/** What a store is told of a transaction beforehand. */
export interface TransactionOptions {
  /**
   * It writes many rows. Only some of those run at once, so that others always find a connection; one that clashes
   * with another runs again when no other of them does.
   */
  readonly many?: boolean
  /** What is asked as it begins. */
  readonly opening?: Opening
}

/** A question that a transaction begins with, at no round trip of its own. */
export interface Opening {
  /** What is read for it. It has no values. */
  readonly plan: SelectPlan
  /**
   * Judges the rows, before anything of the transaction is answered or durable: what it throws ends all of it. It reads
   * by `reader`, inside the transaction.
   */
  judge(rows: readonly Row[], reader: Reader): void | Promise<void>
  /** Where this holds, which speaks of other tables, there is nothing to judge: a write that is alone may ask by it. */
  readonly unless?: Condition
  /** A lock that the transaction shares with others, before the question is asked. A row that is written alone, and nothing with it, goes without. */
  readonly sharedLock?: string
}

/** A transaction that may change the schema too. */
export interface Definition extends Transaction {
  /** Applies one step; answers the statements that it ran. Throws StoreConflict where rows are in the way. */
  apply(step: SchemaStep): Promise<readonly string[]>
}

/** What the database holds, read from the database itself. */
export interface Catalog {
  readonly tables: readonly CatalogTable[]
}
export interface CatalogTable {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: string; readonly nullable: boolean }[]
  readonly indexes: readonly {
    readonly name: string
    readonly columns: readonly string[]
    readonly unique: boolean
  }[]
}

/**
 * A relational database behind plans. Every method throws UNAVAILABLE (503) while the database is out of
 * reach, and works again by itself once it is back.
 */
export interface Store extends Reader {
  /** The name that configuration refers to it by. */
  readonly name: string
  /** The SQL dialect in words for people: 'sqlite' or 'postgres'. Nothing decides by it. */
  readonly dialect: string
  /** What this store can do and not every other can: ask for it before a plan relies on it. */
  readonly features: ReadonlySet<StoreFeature>
  /** What its database does not have and could: the statement that an administrator of it has to run. */
  readonly wanting: ReadonlyMap<StoreFeature, string>
  /**
   * Hands over what geometries are compared by in this process: from now on a store that cannot do so by itself has the
   * feature `spatial`. Others pass over it, as does one whose database would have to do it.
   */
  compareGeometries(test: SpatialTest): void
  /**
   * Reads rows in chunks of `size` as they are asked for, of fewer where these are long, all of them as they were when the
   * first was read, and keeps no more than a chunk in memory. It holds a connection until the last chunk is taken or the loop is left: read it
   * with `for await`. Streams that are open at once are few; one more waits, and throws UNAVAILABLE after a while.
   */
  stream(plan: Omit<SelectPlan, 'lock' | 'text'>, size: number): AsyncIterable<readonly Row[]>
  /**
   * Runs `work` in one transaction: all of it is durable when the promise resolves, or none of it happened. `work`
   * may run more than once, where it clashed with another, and awaits nothing but the transaction that it is
   * handed: others may have to wait until it is done. A transaction inside another can end in UNAVAILABLE. A write
   * that says that it is the last of its transaction makes it durable, whatever the work does after that.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** The same for changes of the schema; two of them never run at once, on any server of this database. */
  define<T>(
    work: (definition: Definition) => Promise<T>,
    options?: Pick<TransactionOptions, 'opening'>,
  ): Promise<T>
  /** Creates what is missing of `tables`: tables, columns, indexes. Removes nothing but their `formerIndexes`. */
  ensure(tables: readonly Table[]): Promise<void>
  /**
   * Names what the database holds now: after any commit, of whichever process, it is another name, and never an
   * earlier one again. Whoever reads after asking reads what the name stands for, or something later.
   */
  state(): Promise<string>
  /** The statements of a step, without running them. */
  explain(step: SchemaStep): readonly string[]
  catalog(): Promise<Catalog>
  /**
   * Rewrites what holds tables of these names, so that nothing is left in the files of what was removed or overwritten there
   * before; rows stay as they are. A store may rewrite more than that. Throws UNAVAILABLE where somebody is in the way for long.
   */
  scrub(tables: readonly string[]): Promise<void>
  /** How many bytes its files have. */
  size(): Promise<number>
  /**
   * A store for what is written behind the requests and not with them, such as a log of them: neither its writes nor
   * its reads stand in the way of this one's. Its commits outlive the process at once, and a loss of power only
   * within a moment. It may be another file; no transaction reaches over both.
   */
  readonly journal: Store
}

/** The server's store. */
export const StoreCapability = capability<Store>('store')
