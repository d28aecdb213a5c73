import { blockKey, type Change, type Expression, type Facts, type Text } from '@svc/domain/contract'
import type { Transaction, Value } from '@svc/store/contract'
import type { Severity } from './timeline/definition.ts'

/** What the key `history` of a resource makes for blocks that come after it. */
export interface History {
  /** The names of the events that the resource declares. */
  readonly events: readonly string[]
  /** Whether the owner of a record may see events that others of the same roles do not. */
  readonly isPersonal: boolean
  /**
   * The declared events that a change has put on the record's timeline, in their order. It is known in `afterWrite` of blocks
   * that come after `history`.
   */
  broughtBy(change: Change): readonly string[]
  /** Puts an entry of one's own on the timeline of a change's record, in the transaction of the change. */
  add(transaction: Transaction, change: Change, entry: TimelineEntry): Promise<void>
  /** The same of words in the language of texts, which are filled anew for each reader. */
  tell(transaction: Transaction, change: Change, entry: SpokenEntry): Promise<void>
}

/** An entry whose label is told anew to each reader, by what that one may read then. */
export interface SpokenEntry {
  readonly event: string
  /** What happened, and the values beside it that it may name, as they are written: without what variables hold. */
  readonly label: Text
  readonly values: Readonly<Record<string, Value>>
  readonly severity?: Severity
  readonly facts: Facts
  /** What label and values are worked out from. */
  readonly expressions: readonly Expression[]
}

/** An entry that no event of the resource declares: everybody who sees the record sees it. */
export interface TimelineEntry {
  /** What it is called, such as `rule.late`. */
  readonly event: string
  /** What happened, with `{name}` for a value; filled anew for each reader, in the reader's language. */
  readonly label: Text
  readonly detail?: Text
  readonly severity?: Severity
  readonly values?: Readonly<Record<string, Value>>
  /** The fields that a value was made of, by its name: who may not read all of them does not see it. */
  readonly sources?: Readonly<Record<string, readonly string[]>>
}

export type { Severity } from './timeline/definition.ts'

/** The timelines of a domain's resources: `site.made(HISTORY, resource)`, of those that have `history`. */
export const HISTORY = blockKey<History>('history')
