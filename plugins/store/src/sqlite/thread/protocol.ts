import type { Bound } from '../../compile/dialect.ts'
import type { Read } from '../stream.ts'

/** A statement that a thread is to read the rows of. */
export interface Question {
  readonly sql: string
  readonly values: readonly Bound[]
  /** It is run, and has no rows. */
  readonly isRun?: true
  /** It answers so many rows at most, as many as a part may have unless said, and the next ones whenever it is asked for `MORE`. */
  readonly size?: number
}

/** Asks for the next rows of the statement that was asked before. */
export const MORE = 'more'
/** Ends that statement, which keeps the state of the database that it reads for as long as it is open; answered by no rows. */
export const END = 'end'

export type Message = Question | typeof MORE | typeof END

/** Rows of the statement, or what SQLite says in their place. */
export type Answer =
  | Read
  | { readonly failure: { readonly message: string; readonly code: string | undefined } }
