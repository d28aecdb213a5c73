import type { Access, Facts, Resource } from '@svc/domain/contract'
import type { Caller } from '@svc/kernel'
import type { Reader } from '@svc/store/contract'
import type { Finds } from '../mapping/finds.ts'

/** What an operation is done with. */
export interface Asked {
  readonly runId: string
  /** The record, the caller, and variables, as expressions find them. */
  readonly facts: Facts
  readonly reader: Reader
  readonly signal: AbortSignal
  /** What the run looks for in other records. */
  readonly finds: Finds
}

/** Who sees what would be done. */
export interface Seer {
  readonly caller: Caller
  accessOf(resource: Resource): Access
}
