import type { Config } from '@svc/kernel'
import type { Article } from './article.ts'

/** One database for each of the two servers, both on one kind of store. */
export interface Databases {
  /** The section of svc's configuration that names its database. */
  readonly config: Config
  /** Where the server by hand finds its database. */
  readonly byHand: string
  /** What is to be known about the figures on this store. */
  readonly remarks: readonly string[]
  /** Gives the other side a table equal to the one that svc has made, and fills both; nobody may be connected. */
  fill(articles: readonly Article[]): Promise<void>
  close(): Promise<void>
}
