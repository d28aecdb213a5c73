import type { Bound } from '../../compile/dialect.ts'
import type { RawRows } from '../../rows.ts'

/** A statement that a thread is to read the rows of. */
export interface Question {
  readonly sql: string
  readonly values: readonly Bound[]
  /** It is run, and has no rows. */
  readonly isRun?: true
}

/** The rows of a statement as the driver has them, and how many milliseconds they took. */
export interface Answered {
  readonly rows: RawRows
  readonly took: number
}

/** Its rows, or what SQLite says in their place. */
export type Answer =
  | Answered
  | { readonly failure: { readonly message: string; readonly code: string | undefined } }
