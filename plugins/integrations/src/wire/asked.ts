import type { Facts } from '@svc/domain/contract'
import type { Reader } from '@svc/store/contract'

/** What an operation is done with. */
export interface Asked {
  readonly runId: string
  /** The record, the caller, and variables, as expressions find them. */
  readonly facts: Facts
  readonly reader: Reader
  readonly signal: AbortSignal
}
