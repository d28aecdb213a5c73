import type { Caller, FieldError, Warning } from '@svc/kernel'
import type { Reader, Row, Transaction, Value } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { Transition } from '../model/state-machine.ts'
import type { Field } from '../model/field.ts'
import type { CustomOperation, Resource } from '../model/resource.ts'
import type { Runtime } from '../runtime.ts'
import { type Values, valuesOf } from './values.ts'

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

/** What a change is: one of the engine's kinds, or one that a block owns. */
export type ChangeKind = OwnKind | (string & {})

/** The record under whose path another one answers. */
export interface Parent {
  /** The child's field that holds the parent's key. */
  readonly field: Field
  readonly value: Exclude<Value, null>
}

/** One write on its way through the steps. */
export interface Change {
  readonly kind: ChangeKind
  readonly domain: string
  readonly resource: Resource
  readonly access: Access
  readonly caller: Caller
  readonly runtime: Runtime
  readonly requestId: string
  /** Where the steps before the transaction look: inside another transaction, that one. */
  readonly reader: Reader
  /** When the write happens, as it is stored. */
  readonly at: string
  readonly body: unknown
  /** The parent that the path of the request names. */
  readonly parent: Parent | undefined
  /** The record's tags under which the client wants the write; undefined: under any. */
  readonly ifMatch: string | undefined
  /** What will be stored: every column of a new record, the changed ones of an old. */
  readonly values: Values
  /** The values as they were before the transaction; undefined until then. */
  prepared: Readonly<Values> | undefined
  /** Everything wrong with the body; a step that finds some lets the later ones add theirs. */
  readonly faults: FieldError[]
  /** The key of the record; a create knows it once defaults are filled. */
  key: Exclude<Value, null> | undefined
  /** Whether the write of the record may be the last statement of its transaction. */
  isLast: boolean
  /** The name of the transition that was asked for. */
  readonly wanted: string | undefined
  /** The custom operation that the change carries out. */
  readonly operation: CustomOperation | undefined
  /** What the custom operation's handlers answered; undefined: nothing. */
  answer: unknown
  /** The transition that the change makes. */
  transition: Transition | undefined
  /** The stored record before the write, locked. */
  previous: Row | undefined
  /** The record after the write. */
  record: Row | undefined
  /** How many changes have brought this one about, one the other. */
  readonly depth: number
  /** The change that has brought this one about. */
  readonly cause: Change | undefined
  /** What is to be done once the change is committed, such as telling the bus. */
  readonly afterCommit: (() => void)[]
  /** Says whether anybody still waits for the answer. */
  signal(): AbortSignal
  warn(warning: Warning): void
  /** Tells the client that something it sent does not count, or throws INVALID_QUERY where it asked for strictness. */
  drop(message: string): void
}

/** A step that needs no store. */
export type PrepareStep = (change: Change) => void | Promise<void>
/** A step inside the write's transaction. */
export type ApplyStep = (change: Change, transaction: Transaction) => void | Promise<void>

/** What is known of a change when it begins. */
export type ChangeStart = Pick<
  Change,
  | 'kind'
  | 'domain'
  | 'resource'
  | 'access'
  | 'caller'
  | 'runtime'
  | 'requestId'
  | 'at'
  | 'body'
  | 'key'
  | 'warn'
  | 'drop'
> &
  Partial<
    Pick<
      Change,
      | 'reader'
      | 'depth'
      | 'cause'
      | 'wanted'
      | 'ifMatch'
      | 'parent'
      | 'operation'
      | 'afterCommit'
      | 'isLast'
      | 'signal'
    >
  >

/** A change of which nothing has happened yet. */
export const createChange = (start: ChangeStart): Change => ({
  reader: start.runtime.store,
  values: valuesOf(),
  prepared: undefined,
  faults: [],
  wanted: undefined,
  ifMatch: undefined,
  parent: undefined,
  depth: 0,
  cause: undefined,
  operation: undefined,
  answer: undefined,
  transition: undefined,
  previous: undefined,
  record: undefined,
  afterCommit: [],
  signal: () => never,
  isLast: false,
  ...start,
})

const never = new AbortController().signal
