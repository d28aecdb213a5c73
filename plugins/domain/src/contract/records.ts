import type { Call, Reply } from '@svc/kernel'
import type { Column, Condition, Order, Reader, Row, Table, Value } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { Data } from './data.ts'
import type { Guarded } from '../model/permission.ts'
import type { Resource } from '../model/resource.ts'
import type { RecordInput } from '../operations/operation.ts'

/** The records of a resource as the operations of blocks reach them: by the rules of every other operation. */
export interface Records {
  readonly resource: Resource
  readonly reader: Reader
  /** The records of the whole domain. */
  readonly data: Data
  /**
   * What a request is about: the record that its path names, for a caller who may do `operation` with it, or else
   * every record that the caller may list. Deleted records count. Throws UNAUTHORIZED, FORBIDDEN or NOT_FOUND.
   */
  about(input: RecordInput, call: Call, operation?: Guarded): Promise<Subject>
  /** Answers the part of a table's rows that a query asks for. Throws INVALID_QUERY, and NOT_FOUND for a record that never was. */
  list(listing: Listing, input: RecordInput, call: Call): Promise<object>
  /**
   * Writes an earlier state of a record again, as a change of `kind`, which the block says is its own; for a caller who
   * may update the record. `earlier` finds that state by the record's key. What is the same now stays as it is; what the
   * caller may not write stays too, with a warning, and so does a state that no transition of the caller leads to.
   */
  reinstate(
    kind: string,
    input: RecordInput,
    call: Call,
    earlier: (key: Exclude<Value, null>) => Promise<Row>,
  ): Promise<Reply>
}

/** What a request to a block is about. */
export interface Subject {
  readonly access: Access
  /** Undefined for a collection. */
  readonly key: Exclude<Value, null> | undefined
  /** The stored record, deleted or not; undefined for a collection, and where the record is gone for good. */
  readonly row: Row | undefined
  /** The rows of a table that are about it; `recordId` is the column with the key. */
  rows(recordId: Column): Condition
}

/** Rows of a block's own table, as a list shows them. */
export interface Listing {
  readonly subject: Subject
  readonly table: Table
  readonly recordId: Column
  /** What the rows have to hold besides being about the subject. */
  readonly where: readonly Condition[]
  readonly order: readonly Order[]
  /** Names of the query parameters that `where` was made from. */
  readonly parameters: readonly string[]
  present(row: Row): Row | Promise<Row>
}
