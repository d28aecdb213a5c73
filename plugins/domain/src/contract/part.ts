import type { AppError, Caller, Close } from '@svc/kernel'
import type { Codec, Column, Condition, Reader, Row, Table, Transaction, Value } from '@svc/store/contract'
import type { Path, Problem } from '../definition/problem.ts'
import type { Text } from '../definition/schema/text.ts'
import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import type { Data } from './data.ts'
import type { Acted } from './acted.ts'
import type { Alteration } from './columns.ts'
import type { Mentioning, Unresolving } from './mentions.ts'
import type { Writes } from './writes.ts'
import type { DomainAction } from './action.ts'
import type { Change } from './change.ts'
import type { Fault, Locale } from '../speech/speech.ts'
import type { Due, LeftBy } from './due.ts'
import type { Description } from './description.ts'
import type { BlockOperation } from './operation.ts'
import type { PassOver, Restricted, Restriction } from './restriction.ts'

/**
 * A step of a block in a write. It awaits nothing but `writes`, by which it may write further records and rows of its own
 * in the same transaction, and runs again with that.
 */
export type BlockStep = (change: Change, writes: Writes) => void | Promise<void>

/** What stands in place of values that are kept of one record, by the names of the fields. */
export interface ErasedValues {
  readonly key: Exclude<Value, null>
  readonly values: Row
  /** Those of the fields of which the record itself has lost a value; all of them unless said. */
  readonly lost?: ReadonlySet<string>
}

/** What is erased of some records of a resource, each of which is named once. */
export interface Erasure {
  readonly resource: Resource
  readonly records: readonly ErasedValues[]
  readonly caller: Caller
  /** When, as it is stored. */
  readonly at: string
  readonly newId: () => string
  /** All is left that is kept of the records but these values in ledgers. */
  readonly inLedgersAlone?: true
}

/** A table in which a block keeps values of records. */
export interface Kept {
  readonly table: Table
  /** The column with the key of the record that a row is about. */
  readonly recordId: Column
  /** The columns that hold values of the record, or texts made of them. */
  readonly values: readonly Column[]
  /** Which rows of the table are about records of the resource, where it has others too; all unless said. */
  readonly where?: Condition
  /** Under which name an account of the record shows these rows, such as `audit`; it shows none unless said. */
  readonly told?: 'audit' | 'versions' | 'history' | 'documents' | 'notifications'
  /** A row of the table with all that is sealed in these columns opened, for an account of the record; as it is kept unless said. */
  open?(row: Row): Row
  /** The rows are erased by the part's `erase`, and not by the engine. */
  readonly apart?: true
  /**
   * Takes some values of records out of these rows, and leaves the rest of them as it was: for a ledger that can do with less. There may
   * be hundreds of records: it is done by statements for all of them, and not for each.
   */
  redact?(erasure: Erasure, writes: Writes): Promise<void>
  /** What these columns hold once they are erased; the rows themselves go unless said. */
  readonly erased?: Row
  /**
   * What these columns of a row hold by the present definition, where the former one sealed other fields, or none, or called
   * them otherwise: the former opens them, and the present seals them. What is absent stays as it is. It is handed whole rows,
   * and is pure.
   */
  reseal?(row: Row, from: Former): Row
}

/** A resource as it was, or as it will be again. */
export interface Former {
  readonly resource: Resource
  readonly model: Model
  /** What ledgers call fields from now on that were called otherwise. */
  readonly names: ReadonlyMap<string, string>
}

/** Columns of JSON that are sealed as a whole. */
export interface Mixed {
  readonly table: Table
  readonly columns: readonly Column[]
}

/** A resource on its way from one definition to the next; `from` is undefined of a new one, `to` of one that is gone. */
export interface Move {
  readonly from: Resource | undefined
  readonly to: Resource | undefined
}

/** What a block keeps of the values of some fields beside their records, such as what these refer to. */
export interface Traces {
  /** Whether it keeps something of a field's values. */
  holds(field: Field): boolean
  /**
   * Brings what it keeps in line with the records, where a change of the definition may have changed the values of such
   * fields, or what fields and resources are called. It runs in the transaction of the change once that has done all else, and
   * when the change is taken back.
   */
  renew(moves: readonly Move[], transaction: Transaction): Promise<void>
}

/** What a block makes of a definition: of a domain, or of one resource. */
export interface Part<M = unknown> {
  /**
   * Tables of its own, by names that stay. They are there before the first request, follow the resource when it is renamed, and are
   * never dropped by a definition: what they hold outlives the switch that filled them.
   */
  readonly tables?: Readonly<Record<string, Table>>
  /** The resources whose writes its steps are about; every one unless said. Writes of others cost nothing. */
  readonly resources?: ReadonlySet<Resource>
  /**
   * Whether its steps inside a transaction are about a change: where not, they are not run. It answers at once, by what is
   * known of the change before its row is written, and may be asked more than once.
   */
  readonly concerns?: (change: Change) => boolean
  /**
   * Whether `afterWrite` does no more for a change than append rows (`Transaction.append`), and asks the store for nothing that the
   * change itself writes. It is asked just before the row is written. Where all parts say so the step may run then, with
   * `change.record` as it will be, and all of it leaves in one message.
   */
  readonly appends?: (change: Change) => boolean
  /**
   * Runs inside a write's transaction, before the row is written, on every path by which records are written. It may
   * warn, and what it throws ends the write. A transaction that clashes with another runs again, and this with it.
   */
  readonly beforeWrite?: BlockStep
  /** The same when the row is written. */
  readonly afterWrite?: BlockStep
  /**
   * Says that its steps call nothing that might begin a transaction of its own, which would wait for theirs for ever. Other
   * parts are watched for that, at the price of a tenth of each write that they have steps in.
   */
  readonly selfContained?: true
  /**
   * Keeps, in the transaction of a write, what that leaves for later of the resource's formulas; `writes.follow` does it
   * then, in the order in which it was kept.
   */
  postpone?(due: Due, by: LeftBy, transaction: Transaction): Promise<void>
  /** Runs inside the transaction that changes the columns of a sheet, once that has done all else; what it throws undoes it. */
  altered?(alteration: Alteration, transaction: Transaction): void | Promise<void>
  /**
   * Says that its steps run for links too, as changes of kinds `linked` and `unlinked` of the side that is linked from. Both
   * run once the link is written, since only then it is known that it was not there; what they throw undoes it.
   */
  readonly links?: true
  /**
   * Runs before a write's transaction, once the body is checked and before others are asked: it may wait, and tells what
   * is wrong by `fault`, beside all else that is. There is no stored record yet. A write inside a transaction has no time
   * before it: there it runs inside, and everybody waits for it.
   */
  readonly prepare?: (change: Change, fault: (fault: Fault) => void) => void | Promise<void>
  /**
   * The records that are left to an operation of a caller, whoever that is, the system included; undefined: all. It holds
   * in lists, counts, exports, includes and ledgers as in everything that names one record. It is asked with each
   * statement, so it neither waits nor computes much; what it asks is best a condition on an indexed table of its own.
   */
  narrow?(resource: Resource, operation: Restricted, caller: Caller): Restriction | undefined
  /**
   * Says that what `narrow` answers depends on its arguments and on rows of the store alone: answers may be kept as long as these are
   * as they were. It names what they are: another name whenever some record may be left that was not before, or the other way
   * round. Without it no answer about such records is kept.
   */
  narrowedBy?(reader: Reader): Promise<string>
  /**
   * The records that schedules, workflows, notifications and templates pass over, besides those that `narrow` keeps from
   * `automate`.
   */
  readonly passesOver?: PassOver
  /** The resources of which `passesOver` may answer records; every one unless said. Records of others are not read for it. */
  readonly passesOverOf?: ReadonlySet<Resource>
  /** The same of a record that is there no more, since messages about it may be under way: why it is passed over. */
  passesOverGone?(
    resource: Resource,
    key: Exclude<Value, null>,
    reader: Reader,
  ): Promise<AppError | undefined>
  /** Where the block keeps values of the records of a resource beside them: for whoever owes an account of these. */
  keeps?(resource: Resource): readonly Kept[]
  /**
   * Erases what the block keeps of some records where no row is about one of them alone, inside the transaction that erases
   * all of it: what `keeps` names is erased by the engine.
   */
  erase?(resource: Resource, keys: readonly Exclude<Value, null>[], writes: Writes): Promise<void>
  /** Where it keeps texts and answers that may speak of any record, beside what `keeps` names by its record. */
  readonly mentions?: readonly Mentioning[]
  /**
   * Which of its tables say which account did what they tell: where one goes with its person, its name becomes a pseudonym there. What
   * `mentions` names is looked through too, for objects `{id, username}`.
   */
  readonly acted?: readonly Acted[]
  /** What a person has to decide about who erases somebody: what may speak of this one and cannot be looked into. */
  readonly unresolving?: Unresolving
  /**
   * Runs in the transaction of a change of the definition by which values are sealed that stood in the clear, and when such a
   * change comes back: what they were may still lie in the files of the store.
   */
  sealed?(transaction: Transaction): Promise<void>
  /** What the block keeps of values beside their records, as far as a change of the definition has to renew it. */
  readonly traces?: Traces
  /** For the blocks of later keys, which ask for it by `site.made`. */
  readonly made?: M
  /**
   * Its share of what is told about the domain or the resource. It runs whenever somebody asks for the schema, and when a
   * document is written, on the model that shows variables as they are written; it neither waits nor throws: where it does throw, the log says
   * so and all else is told.
   * `localize` gives a text in the reader's language, which is `locale`; of documents, the default one.
   */
  describe?(localize: (text: Text | undefined) => string | undefined, locale: Locale): Description
  /**
   * Fetches what values of the domain are read and written by, such as keys. It runs on every server before the model comes
   * into force there, and before records are brought to what the model says or away from it. What it answers is wrong
   * with the definition, by paths that begin with `domain`; what it throws keeps the model out of force too.
   */
  ready?(): Promise<readonly Problem[]>
  /**
   * Tables whose columns hold, as JSON, what is made of several values and sealed by `codecOf(model)`: they are sealed with a
   * definition that seals something where the one before did not, and opened the other way round.
   */
  readonly mixed?: readonly Mixed[]
  /**
   * Seals what is made of values of the domain, whether it has a field whose column does or not.
   */
  readonly seals?: Codec
  /**
   * Begins what lives as long as the model: workers, timers, connections. It runs once when its model is in force on this
   * server and every plugin is open, in the order of the keys; never for a preview, a validation or a model of
   * documents. What it returns ends all of it, and runs before the next model opens, and when the server stops. It may
   * wait; nobody's request waits for it. Its `data` writes as long as the model is in force, and throws UNAVAILABLE after that. Where it throws, the log tells so and it runs again, later and later, until its model
   * is no longer in force. Several servers may have one model open at once.
   */
  open?(data: Data): void | Close | Promise<void | Close>
}

/** What a block adds to a domain. */
export interface DomainPart<M = unknown> extends Part<M> {
  readonly actions?: readonly DomainAction[]
  /**
   * The accounts as whom it acts, and where these are written, by paths that lead on from its key. While the model is in force nobody
   * registers such a name, and a submit warns where there is no such account.
   */
  readonly actsAs?: readonly { readonly username: string; readonly path: Path }[]
}

/** What a block adds to a resource. */
export interface ResourcePart<M = unknown> extends Part<M> {
  readonly operations?: readonly BlockOperation[]
}

/** A part and where it stands. */
export type Placed =
  | { readonly key: string; readonly resource: undefined; readonly part: DomainPart }
  | {
      readonly key: string
      readonly resource: Resource
      readonly part: ResourcePart
      /** The kinds of change that its block owns. */
      readonly changes: readonly string[]
    }
