import type { Mentioning } from './contract/mentions.ts'
import type { Model } from './model/model.ts'
import type { Bus, Caller, Environment, Logger, Warning } from '@svc/kernel'
import type { UserReference } from '@svc/auth/contract'
import type { Definition, Store, Transaction, TransactionOptions } from '@svc/store/contract'

/** An answer that is kept: what its first reader got, as text. */
export interface KeptAnswer {
  readonly headers: Readonly<Record<string, string>> | undefined
  /** The data as JSON. */
  readonly text: string
  readonly warnings: readonly Warning[]
  /** How many warnings there were besides. */
  readonly more?: number
}

/** A place where answers are kept. */
export interface Answers {
  /**
   * The answer that is kept under `key`, as long as nothing was written since and it is younger than `ttlMs`
   * milliseconds; else the one that `make` gives.
   */
  read(key: string, ttlMs: number, make: () => Promise<KeptAnswer>): Promise<KeptAnswer>
}

/** A store that nobody writes to without saying for whom. */
export type ReadingStore = Omit<Store, 'transaction' | 'define' | 'journal'>

/** What operations need of the world around them. */
export interface Runtime {
  /** For reading: whoever writes says for whom. */
  readonly store: ReadingStore
  /** How often it was noticed that another server has changed rights or a definition. */
  foreignChanges(): number
  /** Runs the transaction of a write for its caller, whose rights are asked for inside it. Throws CallerChanged. */
  readonly transaction: <T>(
    caller: Caller,
    work: (transaction: Transaction) => Promise<T>,
    options?: TransactionOptions,
  ) => Promise<T>
  /** The same for a change of the schema. */
  readonly define: <T>(caller: Caller, work: (definition: Definition) => Promise<T>) => Promise<T>
  readonly bus: Bus
  readonly env: Environment
  readonly log: Logger
  /** A new UUIDv7, larger than all before it. */
  readonly newId: () => string
  /** The most items that one bulk request may hold. */
  readonly bulkLimit: number
  /** What records may show of those of `ids` that are users of the service, in no order. */
  readonly describeUsers: (ids: readonly string[]) => Promise<readonly UserReference[]>
  /** Requests with an `Idempotency-Key` that are under way, by their mark. */
  readonly running: Set<string>
  /** Where plugins without a key keep texts that may speak of records of a domain. */
  readonly mentioning: (model: Model) => readonly Mentioning[]
  /** Keeps answers of resources that want that; undefined where no plugin does. */
  readonly answers: Answers | undefined
  /** Turns the passwords of one request into what may be stored of them. Throws where there are too many. */
  readonly hashPasswords: (passwords: readonly string[], signal: AbortSignal) => Promise<readonly string[]>
}
