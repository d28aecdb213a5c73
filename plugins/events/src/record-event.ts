import type { Happened } from '@svc/automation/contract'
import type { Row, Value } from '@svc/store/contract'
import type { Place } from './place.ts'

/** Something that happened to a record. */
export interface RecordEvent extends Happened {
  readonly place: Place
  readonly resource: string
  /** The record's key as text. */
  readonly recordId: string
  /** The stored fields as the write left them; of a deleted record as they were. */
  readonly record: Row
  readonly previous: Row | null
  readonly actor: { readonly id: string | null; readonly username: string | null }
  /** How deep the write was, and what set it off where that was no request. */
  readonly depth: number
  readonly origin: string | null
  /** The moment of the write. */
  readonly at: string
  /** The id of the event as it is told outside; null where it is told nobody. */
  readonly id: string | null
  /** What it is told as: `created`, `updated`, `deleted`, `restored`, `transitioned`, `linked`, `unlinked`. */
  readonly action: string | null
  readonly requestId: string | null
  /** Of `linked` and `unlinked`: the relationship, and the key of the record at its other end. */
  readonly link: { readonly relationship: string; readonly key: string | number } | null
}

/** An event that no write of a record is. */
export interface ToldEvent extends Pick<RecordEvent, 'resource' | 'record' | 'actor' | 'at' | 'requestId'> {
  readonly id: string
  readonly action: string
  readonly recordId: string | null
}

/** Which events `having` is asked for. */
export interface Having {
  /** The name of the reader that asks. */
  readonly reader: string
  /** Those behind this place. */
  readonly after: Place
  readonly resource: string
  readonly field: string
  readonly value: Value
}
