import type { Entry } from '../catalog.ts'
import type { Parts } from '../parts.ts'

/** One operation on one resource, as its action says. */
export interface RecordOperation {
  readonly entry: Entry
  /** Its name in the action's notes: `list`, or the name of a transition. */
  readonly operation: string
  readonly method: string
  /** The path with its parameters as `:name`. */
  readonly path: string
}

/** Documents one kind of operation. */
export type DocumentOperation = (operation: RecordOperation) => Parts
