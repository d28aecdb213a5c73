import type { StorageOperation } from './definition.ts'

/** What is done with an object, as a row keeps it. */
export interface Deed {
  readonly action: StorageOperation['action']
  /** Below the prefix; of a list, what keys begin with. */
  readonly key: string
  readonly contentType?: string
  readonly body?: string
  readonly media?: string
  /** The media field that takes what is read. */
  readonly saveTo?: string
  readonly limit?: number
  readonly after?: string
  readonly method?: 'GET' | 'PUT'
  /** Seconds. */
  readonly expiresIn?: number
}
