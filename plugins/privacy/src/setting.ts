import type { Accounts } from '@svc/auth/contract'
import type { Environment } from '@svc/kernel'
import type { Media } from '@svc/media/contract'
import type { Transaction } from '@svc/store/contract'
import type { Privacy } from './compile/privacy.ts'
import type { Exempt } from './restriction/narrow.ts'
import type { SubjectKey } from './subjects/key.ts'
import type { Tables } from './tables.ts'

/** What the actions of one domain work with. */
export interface Setting {
  readonly privacy: Privacy
  readonly tables: Tables
  readonly key: SubjectKey
  readonly accounts: Accounts
  readonly env: Environment
  readonly media: Media | undefined
  /** Callers whom no restriction binds. */
  readonly exempt: Exempt
  /** Has the files of the database rewritten after an erase, where they can be while others work. */
  scrub(writes: Transaction): Promise<void>
  /** Tells that somebody was erased, once that is durable. */
  erased(domain: string, id: string, records: number): void
  /** Ids in the order in which they are asked for. */
  readonly newId: () => string
}
