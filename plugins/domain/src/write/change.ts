import { droppedBy, type Warning, Warnings } from '@svc/kernel'
import type { Reader, Row, Transaction, Value } from '@svc/store/contract'
import type { Neighbours } from '@svc/expression/contract'
import { Access } from '../access/access.ts'
import type { Change as BlockChange } from '../contract/change.ts'
import type { Field } from '../model/field.ts'
import type { Transition } from '../model/state-machine.ts'
import { workOutAll } from '../present/formulas.ts'
import { writtenOf } from '../reach/context.ts'
import type { Runtime } from '../runtime.ts'
import type { Fault } from '../speech/speech.ts'
import { type Values, valuesOf } from './values.ts'
import type { Verified } from './verify.ts'

/** The record under whose path another one answers. */
export interface Parent {
  /** The child's field that holds the parent's key. */
  readonly field: Field
  readonly value: Exclude<Value, null>
}

/** One write on its way through the steps: what blocks see of it, and what the engine does with it. */
export interface Change extends BlockChange {
  readonly runtime: Runtime
  /** Where the steps before the transaction look: inside another transaction, that one. */
  readonly reader: Reader
  /** The parent that the path of the request names. */
  readonly parent: Parent | undefined
  /** The record's tags under which the client wants the write; undefined: under any. */
  readonly ifMatch: string | undefined
  readonly values: Values
  /** The values as they were before the transaction; undefined until then. */
  prepared: Readonly<Values> | undefined
  /** Everything wrong with the body; a step that finds some lets the later ones add theirs. */
  readonly faults: Fault[]
  /** A create knows it once defaults are filled. */
  key: Exclude<Value, null> | undefined
  /** What the store was asked about its values ahead of its turn; undefined: nothing. */
  verified: ReadonlyMap<string, Verified> | undefined
  /** Whether the write of the record may be the last statement of its transaction. */
  isLast: boolean
  /** The name of the transition that was asked for. */
  readonly wanted: string | undefined
  /** Whether immutable fields are written as others are. */
  readonly corrects: boolean
  /** What the custom operation's handlers answered; undefined: nothing. */
  answer: unknown
  transition: Transition | undefined
  previous: Row | undefined
  /** What the stored record leads to, as far as permissions ask. */
  neighbours: Neighbours | undefined
  /** What the record will lead to, as far as guards ask. */
  nextNeighbours: Neighbours | undefined
  record: Row | undefined
  /** The record as what the change has brought about leaves it; undefined where that did not write it once more. */
  standing: Row | undefined
  readonly cause: Change | undefined
  readonly afterCommit: (() => void)[]
  /** Says whether anybody still waits for the answer. */
  signal(): AbortSignal
  /** What this run of the transaction has warned of; undefined outside of it, where warnings are told at once. */
  warned: Warnings | undefined
  /** Hears warnings that count. */
  tell(warning: Warning): void
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
  'kind' | 'domain' | 'resource' | 'access' | 'caller' | 'runtime' | 'requestId' | 'at' | 'body' | 'key'
> & { readonly [K in Optional]?: Change[K] | undefined } & {
  /** Hears warnings. */
  readonly tell: (warning: Warning) => void
  /** What the client prefers (RFC 7240). */
  readonly prefer?: string | undefined
  /** Which row of many it is, from 0; its warnings say so. */
  readonly row?: number | undefined
}

type Optional =
  | 'acceptLanguage'
  | 'reader'
  | 'asker'
  | 'depth'
  | 'origin'
  | 'cause'
  | 'link'
  | 'wanted'
  | 'corrects'
  | 'ifMatch'
  | 'parent'
  | 'operation'
  | 'afterCommit'
  | 'isLast'
  | 'signal'

/** A change of which nothing has happened yet. */
export const createChange = (start: ChangeStart): Change => new OpenChange(start)

/** The same change with values of its own, to find out what would come of them; its warnings are those of the change. */
export const trialOf = (change: Change, values: Values): Change =>
  Object.assign(Object.create(OpenChange.prototype) as OpenChange, change, { values })

/** A class and no literal: one of so many members that takes over what another says is slow to make. */
class OpenChange implements Change {
  readonly kind: Change['kind']
  readonly domain: string
  readonly resource: Change['resource']
  readonly access: Access
  readonly caller: Change['caller']
  readonly asker: Change['asker']
  readonly runtime: Runtime
  readonly reader: Reader
  readonly requestId: string
  readonly at: string
  readonly acceptLanguage: string | undefined
  readonly body: unknown
  readonly parent: Parent | undefined
  readonly ifMatch: string | undefined
  readonly wanted: string | undefined
  readonly corrects: boolean
  readonly operation: Change['operation']
  readonly link: Change['link']
  readonly depth: number
  readonly origin: Change['origin']
  readonly cause: Change | undefined
  readonly values: Values = valuesOf()
  readonly faults: Fault[] = []
  readonly afterCommit: (() => void)[]
  readonly signal: () => AbortSignal
  readonly tell: (warning: Warning) => void
  readonly warn: Change['warn']
  readonly drop: Change['drop']
  key: Change['key']
  isLast: boolean
  prepared: Change['prepared'] = undefined
  verified: Change['verified'] = undefined
  answer: unknown = undefined
  transition: Transition | undefined = undefined
  previous: Row | undefined = undefined
  neighbours: Neighbours | undefined = undefined
  nextNeighbours: Neighbours | undefined = undefined
  record: Row | undefined = undefined
  standing: Row | undefined = undefined
  warned: Warnings | undefined = undefined
  told: string | undefined = undefined

  constructor(start: ChangeStart) {
    this.kind = start.kind
    this.domain = start.domain
    this.resource = start.resource
    this.access = start.access
    this.caller = start.caller
    this.asker = start.asker ?? start.caller
    this.runtime = start.runtime
    this.reader = start.reader ?? start.runtime.store
    this.requestId = start.requestId
    this.at = start.at
    this.acceptLanguage = start.acceptLanguage
    this.body = start.body
    this.parent = start.parent
    this.ifMatch = start.ifMatch
    this.wanted = start.wanted
    this.corrects = start.corrects ?? false
    this.operation = start.operation
    this.link = start.link
    this.depth = start.depth ?? 0
    this.origin = start.origin
    this.cause = start.cause
    this.key = start.key
    this.isLast = start.isLast ?? false
    this.afterCommit = start.afterCommit ?? []
    this.signal = start.signal ?? neverAborted
    this.tell = start.tell
    const { prefer, row } = start
    this.warn = (given) => {
      const warning = row === undefined ? given : { ...given, index: row }
      if (this.warned === undefined) this.tell(warning)
      else (this.warned === NONE ? (this.warned = new Warnings()) : this.warned).add(warning)
    }
    this.drop = (message) => droppedBy(prefer, this.warn)(message)
  }

  get eventId(): string {
    return (this.told ??= this.runtime.newId())
  }

  asking(): Access {
    const { access, asker, resource } = this
    return access.caller === asker ? access : new Access(resource, asker, access.now)
  }

  next(): Row {
    return workOutAll(writtenOf(this), this.access)
  }
}

const neverAborted = () => never
const never = new AbortController().signal

/** In place of warnings of which there are none yet. */
const NONE = new Warnings()

/** A run of the transaction begins: what an earlier one has warned of does not count. */
export const beginWarnings = (change: Change): void => void (change.warned = NONE)

/** What the run has warned of so far. */
export const warnedBy = ({ warned = NONE }: Change): Warnings => warned

/** The run counts: what it has warned of is told. */
export function tellWarnings(change: Change): void {
  const { warned = NONE, tell } = change
  change.warned = undefined
  if (warned !== NONE) warned.repeat(tell)
}
