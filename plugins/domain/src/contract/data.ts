import type { Call, Caller, Warning } from '@svc/kernel'
import type { Expression, RowsOf } from '@svc/expression/contract'
import type { AggregatePlan, Condition, Order, Reader, Row, Table, Value, Worked } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { Columns } from './columns.ts'
import type { Mentioning, Forget } from './mentions.ts'
import type { Erasure, Kept } from './part.ts'
import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Guarded } from '../model/permission.ts'
import type { Resource } from '../model/resource.ts'
import type { Restricted } from './restriction.ts'
import type { Writes } from './writes.ts'

/**
 * The records of a domain for blocks, on behalf of any caller: by the same permissions, queries and writes as the
 * engine's own operations. It goes with its model: what a block got when its model came into force is let go with it.
 */
export interface Data {
  readonly model: Model
  /** The columns that users add to sheets. */
  readonly columns: Columns
  /** Rows as they are stored, nobody's rights asked: of a block's own tables above all. */
  readonly reader: Reader
  /** What a caller may do with a resource: which fields it may read, and whether it may do an operation at all. */
  access(resource: Resource, caller: Caller): Access
  /**
   * One part of the records that the asker may list, as it may see them. Throws INVALID_QUERY, and UNAUTHORIZED or
   * FORBIDDEN where it may list none at all or a condition asks for what it may not read.
   */
  read(resource: Resource, asked: Asked, asker: Asker): Promise<RecordPage>
  /**
   * All of these records in batches of `size` (200 unless said), as they were when the first was read. Refuses with the
   * first batch what `read` refuses at once; ranges and includes of the query are told as ignored. Read it with
   * `for await`: it holds a connection until its end.
   */
  stream(resource: Resource, asked: Asked, asker: Asker, size?: number): AsyncIterable<readonly Row[]>
  /**
   * One record as the asker may see it, for one who may do `operation` with it (`get` unless said). Throws NOT_FOUND,
   * UNAUTHORIZED or FORBIDDEN. Of what it is worked out from those records are left out that blocks keep from what is `done` with it.
   */
  get(
    resource: Resource,
    key: Value,
    asker: Asker,
    operation?: Guarded,
    done?: readonly Restricted[],
  ): Promise<Row>
  /** The same, or undefined where there is none that the asker may get. */
  find(resource: Resource, key: Value, asker: Asker): Promise<Row | undefined>
  /**
   * Whether the asker may list records that are at hand as whole rows, as they are stored or were: by the rule of `list`, with the
   * neighbours that they have now. `unknown` where a block restricts what is listed by a stored row that is gone.
   */
  mayList(
    resource: Resource,
    records: readonly Row[],
    asker: Pick<Asker, 'caller'>,
  ): Promise<readonly (boolean | 'unknown')[]>
  /**
   * One part of a table of one's own in the form of every list: `{items, count, totalCount?, meta?}`. Unknown query
   * parameters are told as everywhere. Throws INVALID_QUERY.
   */
  list(table: Table, asked: AskedRows, asker: Asker): Promise<object>
  /**
   * What the records that the asker may list come to, in groups. Throws as `read` does: a group, a measure or a
   * condition that needs a column which the asker may not read in every record is FORBIDDEN, a masked one too.
   */
  aggregate(resource: Resource, asked: AskedAggregate, asker: Asker): Promise<readonly Row[]>
  /**
   * Which rows relations may lead to, as bindings of expressions take it (`rowsOf`), for a caller who may read in every
   * record all that the expressions read, of related records too; undefined for any other. `also` is what is done with the
   * records besides.
   */
  opens(
    resource: Resource,
    reads: readonly Pick<Expression, 'fields' | 'reach'>[],
    caller: Caller,
    also?: readonly Restricted[],
  ): RowsOf | undefined
  /** Where blocks keep values of a resource's records beside them. */
  keeps(resource: Resource): readonly Kept[]
  /**
   * Erases what blocks keep of records beside them, in a transaction of `write`: the records themselves are left to their
   * writer, as by `overwrite`. A call is a few statements for each block, however many the records.
   */
  erase(resource: Resource, keys: readonly Exclude<Value, null>[], writes: Writes): Promise<void>
  /**
   * Does what `erase` does to all but ledgers that can do with less: from these the values of an erasure are taken. `retained` names
   * those that stay as they were.
   */
  redact(erasure: Erasure, retained: ReadonlySet<NonNullable<Kept['told']>>, writes: Writes): Promise<void>
  /** Where texts and answers are kept that may speak of any record. */
  readonly mentioning: readonly Mentioning[]
  /**
   * Finds what is to be forgotten in texts and answers that may speak of any record, and takes it out in the transaction of
   * `writes`. Without these it says what that would come to.
   */
  readonly forget: Forget
  /**
   * Stores values behind the one way in: no permission, validation, step, ledger or event. What is derived of them and stored
   * formulas follow, those of other records too, and each record counts as written. No record is named twice. For what a law asks, of which the asker gives an
   * account of its own.
   */
  store(resource: Resource, changes: readonly StoredValues[], writes: Writes): Promise<StoredRecords>
  /**
   * Takes records away for good in the same way, with their links: what refers to them is left to the asker. Answers the records that have
   * followed.
   */
  remove(
    resource: Resource,
    keys: readonly Exclude<Value, null>[],
    writes: Writes,
  ): Promise<readonly Followed[]>
  /**
   * Runs `work` in one transaction, which writes records and rows of one's own: all of it is durable when the promise
   * resolves, or none of it happened. The bus hears of the records after the commit. `work` runs again from its start
   * where it clashed with another transaction; it awaits nothing but what it is handed. Warnings are those of the run
   * that counted.
   */
  write<T>(asker: Asker, work: (writes: Writes) => Promise<T>, options?: WriteOptions): Promise<T>
}

/** A record as it is stored, and values that it is to have. */
export interface StoredValues {
  readonly record: Row
  readonly values: Row
}

/** What storing values behind the one way in has come to. */
export interface StoredRecords {
  /** The records as they are stored then, in the order in which they were named. */
  readonly records: readonly Row[]
  readonly followed: readonly Followed[]
}

/** A record whose stored formulas have followed what was stored of another, with what they give by now. */
export interface Followed {
  readonly resource: Resource
  readonly key: Exclude<Value, null>
  readonly values: Row
}

/** On whose behalf records are reached: a call, or a caller alone as in `{ caller: SYSTEM }`. */
export type Asker = Pick<Call, 'caller'> &
  Partial<Pick<Call, 'request' | 'requestId' | 'signal' | 'depth'>> & {
    /** Hears what was asked in vain, and what writes warn of. */
    readonly warn?: (warning: Warning) => void
  }

/** Which records are asked for, and in what form. */
export interface Asked {
  /** Query parameters as every list takes them: filters, `search`, `scope`, `sort`, `fields`, `include` and paging. */
  readonly query?: Query
  /** Names in `query` that the block reads by itself; any other one that no list knows is told as ignored. */
  readonly parameters?: readonly string[]
  /** Names of the fields to answer where the query does not say; what the asker may not see is left out. */
  readonly fields?: readonly string[]
  /** Says that the query does not choose what is shown: its `fields` and `include` are told as ignored. */
  readonly areFieldsFixed?: boolean
  /** What records have to hold besides. Throws FORBIDDEN where that needs a column which the asker may not read. */
  readonly where?: readonly Condition[]
  /** How records are sorted where the query does not say; what the asker may not read is passed over. */
  readonly order?: readonly Order[]
  /**
   * What each record answers besides, by names that no field has: worked out of what the asker may read in every record,
   * all else is null. One statement more for each relationship that these reach, whatever the number of records.
   */
  readonly values?: Readonly<Record<string, Expression>>
  /** What the store works out of each record besides, by the columns' names. Throws FORBIDDEN as `where` does. */
  readonly worked?: readonly Worked[]
  /** Says that the records leave the service as a file: those that blocks keep from an export are left out. */
  readonly isExport?: boolean
  /** Says that something by itself works with the records, or would: those that blocks keep from that are left out. */
  readonly isAutomated?: boolean
}

/** What records come to: as a plan of the store says it, of the records that a list would have. */
export interface AskedAggregate
  extends Pick<Asked, 'query' | 'parameters' | 'isExport'>, Omit<AggregatePlan, 'table' | 'where'> {
  /** What records have to hold besides. */
  readonly where?: readonly Condition[]
}

/** Query parameters by name. */
export type Query = Readonly<Record<string, string>>

/** One part of a list of records. */
export interface RecordPage {
  /** Records with their key, whether that is among `fields` or not, with `fields`, and what the query includes. */
  readonly rows: readonly Row[]
  /** The fields that were asked for and are shown, none where the asker may see none; a masked one holds `***`. */
  readonly fields: readonly Field[]
  /** What a list says of itself besides its items: `{count, totalCount?, nextCursor?, meta?}`. */
  readonly facts: object
}

/** Which rows of a table of one's own are listed, and how they are shown. */
export interface AskedRows {
  readonly where: readonly Condition[]
  readonly order: readonly Order[]
  readonly query?: Query
  /** Names of the query parameters that `where` was made from. */
  readonly parameters?: readonly string[]
  /** How many rows a page has unless the query says otherwise: 100 unless said. */
  readonly limit?: number
  /** A row as it is shown; as it is stored unless said. */
  present?(row: Row): Row | Promise<Row>
}

/** What a transaction of a block is told beforehand. */
export interface WriteOptions {
  /** It writes many rows: others always find a connection beside it. */
  readonly many?: boolean
  /**
   * How deep its records are written: one more than the write that has set it off. That of the asker unless said; past 16
   * a record is CONFLICT.
   */
  readonly depth?: number
  /** What sets it off, as `change.origin` says then: a workflow's instance, say, by which that knows its own writes again. */
  readonly origin?: string
  /**
   * Does the work once: for 24 hours who sends the same `key` of the same `name` again gets what it answered then, which
   * has to be JSON. `of` is what was sent with the key: with something else it is 422 IDEMPOTENCY_MISMATCH.
   */
  readonly once?: { readonly name: string; readonly key: string; readonly of?: unknown }
}
