import type { AppError } from '@svc/kernel'
import type { Condition } from '@svc/store/contract'
import type { Guarded } from '../model/permission.ts'

/** What may be done with records, as far as blocks restrict it. `export` stands beside `list`, the others alone. */
export type Restricted = Exclude<Guarded, 'create'> | 'transition' | 'custom' | 'export'

/** The records that are left to an operation, whatever permissions say. */
export interface Restriction {
  /** Which records of the resource; asked of the store, so that it may look into tables of the block's own. */
  readonly rows: Condition
  /** What somebody hears who asks for another one by its key; NOT_FOUND unless said. */
  refuse?(): AppError
}
