import type { Bus, Caller, Environment, Logger, Warning } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { CustomOperation, Resource } from '../model/resource.ts'
import type { Transition } from '../model/state-machine.ts'

/** The kinds of change that the engine brings about by itself. */
export type OwnKind =
  | 'create'
  | 'update'
  | 'put'
  | 'delete'
  | 'transition'
  | 'restore'
  | 'custom'
  | 'overwrite'
  | 'linked'
  | 'unlinked'

/** What a change is: one of the engine's kinds, or one that a block owns. */
export type ChangeKind = OwnKind | (string & {})

/**
 * One write of a record as the steps of blocks see it. They read all of it and change nothing: what is to be stored is
 * settled by then, checked and worked out. A step that wants a record otherwise writes it in turn, by `writes`.
 */
export interface Change {
  readonly kind: ChangeKind
  readonly domain: string
  readonly resource: Resource
  /** The id of the event that is told of it, on the bus and to whoever hears of events: a UUIDv7. */
  readonly eventId: string
  /** The key of the record; undefined before the write of one whose key the store makes, and of a new one whose body is refused. */
  readonly key: Exclude<Value, null> | undefined
  /** In whose name the record is written: ledgers and authors of records say so. */
  readonly caller: Caller
  /** The rights by which the record is written: the system's where it goes along with another. */
  readonly access: Access
  /** Whoever asked for all of it in the beginning, and hears the answer. */
  readonly asker: Caller
  /**
   * The rights of whoever asked, on this resource: what a message or a warning tells has to be readable by them, also
   * where the record goes along with another.
   */
  asking(this: Change): Access
  readonly requestId: string
  /** The languages that whoever asked reads, as `Accept-Language` has it; undefined: the domain's default. */
  readonly acceptLanguage: string | undefined
  /** When the write happens, as it is stored: one moment for all records of a request. */
  readonly at: string
  /** What the client sent. */
  readonly body: unknown
  /** What is stored: every column of a new record, the changed ones of an old; nothing of a deletion and of links. */
  readonly values: Row
  /** The stored record before the write, held against other writers; undefined of a new one, and in `prepare`. */
  readonly previous: Row | undefined
  /** The stored record after the write; undefined until then, and of a deletion. */
  readonly record: Row | undefined
  /**
   * The record as it will be, or as it is after the write, with its formulas but for those that reach related records;
   * of a deletion as it was. It is worked out anew with each call.
   */
  next(this: Change): Row
  /** The transition that the change makes. */
  readonly transition: Transition | undefined
  /** The custom operation that the change carries out. */
  readonly operation: CustomOperation | undefined
  /** Of kinds `linked` and `unlinked`: the relationship, and the key of the record at its other end. */
  readonly link: { readonly relationship: string; readonly key: Exclude<Value, null> } | undefined
  /**
   * How many changes have brought this one about, one the other: 0 where somebody asked for it. Those of other transactions
   * count, where whoever writes says so: scripts and workflows do.
   */
  readonly depth: number
  /** What has set the change off outside of its transaction, as that calls itself; undefined: somebody who asked for it. */
  readonly origin: string | undefined
  /** The change that has brought this one about, or that it goes along with. */
  readonly cause: Change | undefined
  /** Adds to the answer's `warnings`, if this run of the transaction is the one that counts. */
  warn(warning: Warning): void
  /** What is to be done once the change is committed: it neither waits nor throws. */
  readonly afterCommit: { push(work: () => void): unknown }
  readonly runtime: {
    readonly env: Environment
    readonly bus: Bus
    readonly log: Logger
    /** A new UUIDv7, larger than all before it. */
    readonly newId: () => string
  }
}
