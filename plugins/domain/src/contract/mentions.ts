import type { Column, Condition, Reader, Row, Table, Value } from '@svc/store/contract'
import type { Resource } from '../model/resource.ts'
import type { Kept } from './part.ts'
import type { Writes } from './writes.ts'

/** A record that is erased, and the names of the fields whose values go. */
export interface ErasedRecord {
  readonly resource: Resource
  readonly key: Exclude<Value, null>
  readonly fields: ReadonlySet<string>
}

/** What is to be forgotten of somebody, wherever texts and answers are kept. */
export interface Mentions {
  readonly records: readonly ErasedRecord[]
  /** Values that are this person's beyond doubt: they are taken out wherever they stand as words of their own. */
  readonly values: readonly string[]
  /** Values that others may well have too: where they stand, somebody has to look. */
  readonly doubtful: readonly string[]
  /** The ledgers that stay as they were; none unless said. */
  readonly retained?: ReadonlySet<NonNullable<Kept['told']>>
}

/** A table in which a plugin keeps texts or answers that may speak of any record. */
export interface Mentioning {
  /** What a row is to people, such as `notification`. */
  readonly kind: string
  readonly table: Table
  /** The columns of texts, and of JSON with texts in it. */
  readonly columns: readonly Column[]
  /** Which rows of the table are the domain's, where it has others too; all unless said. */
  readonly where?: Condition
  /** Which record a row is about: rows about an erased record are left to `keeps` and `erase`. */
  readonly about?: { readonly resource: Column | Resource; readonly recordId: Column }
  /** The ledger that it is, which stays as it was where somebody asks for that. */
  readonly told?: Kept['told']
  /** Whether what `open` takes of a value stands in it in the clear, so that the store may look for words. */
  readonly isClear?: true
  /** The value of a column that is kept in a form of its own; undefined where nobody can open it. */
  open?(kept: Value, column: Column): Value | undefined
  /** A value in the form in which `kept` was. */
  close?(value: Value, kept: Value, column: Column): Value
  /** What else becomes of a row from which something is taken, by its columns `read`. */
  settle?(row: Row, set: Row): Row
  readonly read?: readonly Column[]
  /** Why a row that mentions somebody has more that cannot be taken apart, such as the bytes of a file. */
  readonly rest?: string
}

/** What a person has to decide about. */
export interface Unresolved {
  readonly kind: string
  readonly id: string
  readonly reason: string
}

/** Says what of `mentions` a block can neither find nor take apart. */
export type Unresolving = (mentions: Mentions, reader: Reader) => Promise<readonly Unresolved[]>

/** Finds what is to be forgotten in what blocks keep, and takes it out where there are `writes`. */
export type Forget = (
  mentions: Mentions,
  reader: Reader,
  writes?: Writes,
) => Promise<{ readonly rows: number; readonly unresolved: readonly Unresolved[] }>
