import type { Expression, Path, Resource, Site, Speech } from '@svc/domain/contract'
import type { EvaluationContext, Neighbour } from '@svc/expression/contract'
import { capability } from '@svc/kernel'
import type { Transaction, Value } from '@svc/store/contract'
import type { Channel, Enclosed } from './channel.ts'
import type { NotificationDefinition } from './definition.ts'

export type { Channel, Delivered, Enclosed, Message } from './channel.ts'
export { NotificationDefinition } from './definition.ts'
export { shownNotification } from './ledger/shown-definition.ts'

/** Messages that definitions raise: an outbox, channels, a ledger of what was sent. */
export interface Notifications {
  /**
   * Compiles what stands under a key `notification`; reports to the site what is wrong with it, and answers undefined
   * then. For use in the `compile` of a block: from then on the domain has the endpoints of notifications.
   */
  compile(written: NotificationDefinition, place: NotificationPlace): CompiledNotification | undefined
  /** Adds a way by which messages leave; only during set-up. A taken name is an error. */
  channel(channel: Channel): void
  /** Says how files of a kind are opened that messages enclose; only during set-up. A taken kind is an error. */
  encloses(kind: string, open: OpenEnclosure): void
}

/** A file that a notification encloses: whoever keeps files of its kind finds it by its id, in the domain. */
export interface Enclosure {
  readonly kind: string
  readonly id: string
}

/**
 * Opens a file once a message leaves; undefined where it is gone by then, or may not be enclosed: the message goes without
 * it. A message waits for what throws Postponed; all else that it throws is tried again with the message.
 */
export type OpenEnclosure = (domain: string, id: string) => Promise<Enclosed | undefined>

/** Where a notification is written. */
export interface NotificationPlace {
  readonly site: Site
  /** Leads from the site's key to what is written. */
  readonly path: Path
  /** What its texts and recipients may name. */
  readonly speech: Speech
  /** What entries and locale files call it: `rules.<rule>`, `schedules.<schedule>`, `workflows.<workflow>.<step>`. */
  readonly name: string
  /** Says that its words are nobody's but the service's: locale files do not know them. */
  readonly isOwn?: true
}

/** A notification that can be raised. */
export interface CompiledNotification {
  readonly name: string
  /** What is evaluated when it is raised: the context has to hold the neighbours that these reach. */
  readonly expressions: readonly Expression[]
  /**
   * Writes one entry for each channel and a job that sends them, in the transaction of what raises it; answers the ids of
   * the entries. Nothing is sent where the transaction is undone.
   */
  raise(transaction: Transaction, raised: Raised): Promise<readonly string[]>
}

/** What a notification is raised about. */
export interface Raised {
  readonly source: {
    readonly kind: 'rule' | 'schedule' | 'workflow' | 'template' | (string & {})
    readonly name: string
    /** The step of a workflow. */
    readonly step?: string | null
    /** The entry of the source's own ledger: a firing, an instance. */
    readonly id?: string | null
  }
  /** The resource of the record at hand; undefined where there is none. */
  readonly resource: Resource | undefined
  readonly recordId: Value
  /** What texts and recipients are worked out with: the record as it was, and the variables. */
  readonly context: EvaluationContext
  /**
   * The records of a batch, in the order of the variable `records` of the context: who is named by `field` hears of the
   * records by which it is.
   */
  readonly batch?: readonly Neighbour[]
  /** What channels that can do so send along. */
  readonly enclosure?: Enclosure
}

/** The server's notifications. */
export const NotificationsCapability = capability<Notifications>('notifications')
