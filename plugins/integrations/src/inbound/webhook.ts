import type { Expression } from '@svc/domain/contract'
import type { Mapping } from '../mapping/mapping.ts'
import type { Operation } from '../operation.ts'
import type { Checks } from './checks.ts'
import type { Replay } from './arrived.ts'

/** What an integration of type `webhook` does with messages. */
export interface Webhook {
  readonly format: 'json' | 'form' | 'text'
  readonly checks: Checks
  readonly replay: Replay | undefined
  readonly dedupe: Expression | undefined
  readonly isAsync: boolean
  readonly response: { readonly status: number; readonly body: Mapping | undefined }
  /** All that becomes of a message. */
  readonly operation: Operation
}
