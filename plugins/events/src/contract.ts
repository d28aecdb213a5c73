import type { KeptPassing, Trigger } from '@svc/automation/contract'
import type { Model } from '@svc/domain/contract'
import { type AppError, type Caller, capability } from '@svc/kernel'
import type { Reader, Row, Transaction } from '@svc/store/contract'
import type { Place } from './place.ts'
import type { Having, RecordEvent, ToldEvent } from './record-event.ts'

export { BEGINNING, comparePlaces, type Place } from './place.ts'
export type { Having, RecordEvent, ToldEvent } from './record-event.ts'

/** What happened to records, kept as long as some reader has still to hear it. */
export interface Events {
  /** Adds a reader, during set-up. A taken name is an error. */
  reader(reader: EventReader): void
  /** The ledger of a domain, for parts of this very model. */
  of(model: Model): EventLedger
  /** Whether every event is kept, whoever listens: what is told outside comes from there. */
  readonly isOutbox: boolean
  /** What a domain's events tell outside; undefined where none are kept, or while its definition is being exchanged. */
  outside(domain: string): OutsideEvents | undefined
}

/** Somebody who hears what happened to records, all of it once and in order, at a position of its own. */
export interface EventReader {
  readonly name: string
  /**
   * What it listens to in a domain, asked once for a model, in a transaction of the first write: an event is kept where a
   * reader listens to it. It has to name all that may be asked for while the model is in force.
   */
  interests(model: Model, transaction: Transaction): Promise<readonly Trigger[]>
  /** Whether it hears all that is told outside, for now, whatever it listens to besides. */
  hearsAll?(): boolean
  /**
   * The fields, by the names of their resources, by whose values it asks for events with `EventLedger.having`: so that these are
   * found without looking at all others. Asked for each batch that it takes.
   */
  keys?(model: Model, transaction: Transaction): Promise<ReadonlyMap<string, ReadonlySet<string>>>
  /**
   * Takes what comes next, in a transaction with its new position: events that others listen to are among it, and marks. It
   * runs again where that clashed, and awaits nothing but the transaction.
   */
  take(model: Model, batch: Taken, transaction: Transaction): Promise<void>
  /**
   * The places, by the names of resources, from which on it may still ask for events of them, besides those that it has still
   * to take. Of other resources it needs none.
   */
  needs?(model: Model, transaction: Transaction): Promise<ReadonlyMap<string, Place>>
}

/** An event that is told outside, and where it stands. */
export interface Standing {
  readonly id: string
  readonly place: Place
}

/** What the events of a domain tell those outside. */
export interface OutsideEvents {
  /** What a caller is told of an event, by the rights of now: undefined where that is nothing, `gone` where it is kept no more. */
  tell(id: string, caller: Caller): Promise<OutsideEvent | 'gone' | undefined>
  /** The names of all events that may be told, `svc.shop.order.created`: where a caller is given, those of which it may be told any now. */
  names(caller?: Caller): readonly string[]
  /** Why what runs by itself passes over the record of an event now, which the log tells then; undefined where it does not. */
  passOver(of: KeptPassing): Promise<AppError | undefined>
  /** What was written in a span of time, all of it and in order, in parts of `size`. */
  between(span: TimeSpan, size: number): AsyncIterable<readonly RecordEvent[]>
}

/** Moments as events have them; neither is in the span. */
export interface TimeSpan {
  readonly after?: string | undefined
  readonly before?: string | undefined
}

/** An event as somebody is told it. */
export interface OutsideEvent {
  /** `svc.shop.order.created`. */
  readonly name: string
  /** The moment of the write. */
  readonly at: string
  readonly data: Row
}

/** What a reader takes at once, in order. */
export interface Taken {
  readonly events: readonly RecordEvent[]
  readonly marks: readonly { readonly mark: string; readonly place: Place }[]
}

/** The events of one domain. */
export interface EventLedger {
  /**
   * Marks the present place in the transaction of a write: events that were written before it stand before it, whatever is
   * written or committed later behind it. It answers the mark, whose place is known once it is in a batch.
   */
  mark(transaction: Transaction): Promise<string>
  /** Where a mark stands; undefined of one that is gone. It is in the coming batch while it is in none. */
  placeOf(transaction: Transaction, mark: string): Promise<Place | undefined>
  /**
   * The place behind all that is there. Until the transaction ends nothing comes to stand behind it but what that writes itself,
   * which is there for whoever takes what comes next.
   */
  hold(transaction: Transaction): Promise<Place>
  /** The place up to which a reader has taken what happened: what is in a batch behind it, it has still to hear. */
  takenBy(transaction: Transaction, reader: string): Promise<Place>
  /** Events of complete batches, in order. */
  read(reader: Pick<Reader, 'select'>, asked: AskedEvents): Promise<readonly RecordEvent[]>
  /** Where an event that is told outside stands; undefined of one that is kept no more, or in no batch yet. */
  find(reader: Pick<Reader, 'select'>, id: string): Promise<Place | undefined>
  /** The last event that is told outside, as far as there are batches; undefined where none is kept. */
  last(reader: Pick<Reader, 'select'>): Promise<Standing | undefined>
  /**
   * The one that stands so many behind a place, or the last where there are fewer; undefined where there is none. What is asked for
   * up to it costs no more than to look through so many, however few are asked for.
   */
  ahead(reader: Pick<Reader, 'select'>, after: Place, many: number): Promise<Standing | undefined>
  /**
   * Calls back once something is committed on this server, until what it returns is called. What other servers commit has
   * to be looked for.
   */
  watch(look: () => void): () => void
  /** Makes up a batch of all that is committed; answers whether there was anything. Not to be awaited inside a transaction. */
  gather(): Promise<boolean>
  /**
   * Keeps an event that no write of a record is, such as a change of a sheet's columns, in the transaction that brings it about.
   * Nothing where events are not kept.
   */
  tell(transaction: Transaction, told: ToldEvent): Promise<void>
  /**
   * The same of events whose record has a value in a field. It costs as many events as there are of these where the reader
   * has named the field among its `keys` when they came, and else as many as there are of the resource.
   */
  having(transaction: Transaction, asked: Having): AsyncIterable<RecordEvent>
  /**
   * Makes up a batch of all that is committed, and has every reader take it; answers whether there was anything. Not to be
   * awaited inside a transaction.
   */
  catchUp(): Promise<boolean>
}

/** Which events are asked for. */
export interface AskedEvents {
  /** Those alone that are told outside. */
  readonly isTold?: true
  /** Those of these resources alone. */
  readonly resources?: readonly string[]
  /** Those about these records alone. */
  readonly recordIds?: readonly string[]
  /** Those behind this place. */
  readonly after: Place
  /** Those up to this place, itself among them. */
  readonly upTo?: Place
  /** Those at these places alone. */
  readonly at?: readonly Place[]
  readonly resource?: string
  /** Those that were written after this moment. */
  readonly since?: string
  /** Those that were written before this moment. */
  readonly before?: string
  readonly limit?: number
  /** Says that nobody erases them until the transaction ends: who keeps something of them has it erased as well. */
  readonly isHeld?: true
}

export { isAfter } from './order.ts'
export { digestOf } from './keys.ts'

/** The name of the part that every domain has of this: blocks that use the ledger come after it. */
export const EVENTS_KEY = 'events'

/** The server's events. */
export const EventsCapability = capability<Events>('events')
