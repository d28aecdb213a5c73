import { type Model } from '@svc/domain/contract'
import type { Known } from '@svc/expression/contract'
import { capability } from '@svc/kernel'
import type { Transaction, Value } from '@svc/store/contract'

/** The server's workflows, for whoever starts work by them. */
export interface Workflows {
  /**
   * Starts an instance in the caller's transaction and answers its id: it is there once that commits. Throws NOT_FOUND where
   * the model has no such workflow, and CONFLICT while that is disabled.
   */
  start(transaction: Transaction, start: WorkflowStart): Promise<string>
}

/** What an instance is started with. */
export interface WorkflowStart {
  readonly model: Model
  readonly workflow: string
  /** The key of the record at hand, which is one of the trigger's resource; undefined where there is none. */
  readonly key?: Value
  /** What steps find as `$trigger.input`. */
  readonly input?: Value
  /** What is known of that: what it is made of; everybody may be told it unless said. */
  readonly inputMade?: Known
  /** Who starts it, as `$trigger.actor` tells; the system unless said. */
  readonly actor?: { readonly id: string | null; readonly username: string }
  /** How deep the write was that set it off; 0 unless said. Where that is 8 or more the instance is entered as failed. */
  readonly depth?: number
}

/** The server's workflows. */
export const WorkflowsCapability = capability<Workflows>('workflows')
