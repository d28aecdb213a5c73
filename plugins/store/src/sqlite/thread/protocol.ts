import type { Bound } from '../../compile/dialect.ts'
import type { RawRows } from '../../rows.ts'

/** A statement that a thread is to read the rows of. */
export interface Question {
  readonly sql: string
  readonly values: readonly Bound[]
  /** It is run, and has no rows. */
  readonly isRun?: true
}

/** Its rows as the driver has them, or what SQLite says in their place. */
export type Answer =
  | { readonly rows: RawRows }
  | { readonly failure: { readonly message: string; readonly code: string | undefined } }
