import { type Caller, capability } from '@svc/kernel'
import type { Transaction } from '@svc/store/contract'
import type { MediaItem } from './item.ts'
import type { Coming, Ready } from './keep.ts'
import type { By } from './library/telling.ts'

export type { MediaItem } from './item.ts'
export type { Coming, Ready } from './keep.ts'
export type { By } from './library/telling.ts'

/** An item with its bytes. */
export interface OpenedMedia {
  readonly item: MediaItem
  /** Reads all bytes. Rejects with UNAVAILABLE where the place where they are kept is out of reach. */
  read(): Promise<Uint8Array | ReadableStream<Uint8Array>>
}

/** Records of one resource, by their keys. */
export interface RecordPlaces {
  readonly resource: string
  readonly keys: readonly (string | number)[]
  /** Only what these fields refer to; all of them unless said. */
  readonly fields?: readonly string[]
}

/** The libraries of all domains, for plugins that read and add items by themselves: nobody's rights are asked. */
export interface Media {
  /** The most bytes that are read of what brings a file; one that may be kept has less. */
  readonly messageLimit: number
  /** The item of an id in a domain's library. */
  find(domain: string, id: string): Promise<MediaItem | undefined>
  /** The same with its bytes; undefined where it has none. */
  open(domain: string, id: string): Promise<OpenedMedia | undefined>
  /** Whether a caller may look at an item, by the tiers of its domain. */
  mayBrowse(caller: Caller, item: MediaItem): boolean
  /**
   * Reads a file to its end and keeps it; `enter` makes it an item in a transaction of the asker's, together with whatever
   * refers to it, and `discard` takes it away where nothing came of that. What the file store rejects is an item
   * without bytes, for which `rejected` says why: whoever has no use for that discards it.
   */
  put(domain: string, coming: Coming): Promise<Ready>
  /**
   * Lets go of every item that records refer to, inside the transaction that takes these away, and deletes those
   * that nothing refers to then, with their bytes. What an `overwrite` takes away is let go of without this.
   */
  release(domain: string, records: RecordPlaces, transaction: Transaction, by: By): Promise<void>
}

export const MediaCapability = capability<Media>('media')
