import type { Bus, Environment, Logger } from '@svc/kernel'
import type { UserReference } from '@svc/auth/contract'
import type { Store } from '@svc/store/contract'

/** What operations need of the world around them. */
export interface Runtime {
  readonly store: Store
  readonly bus: Bus
  readonly env: Environment
  readonly log: Logger
  /** A new UUIDv7, larger than all before it. */
  readonly newId: () => string
  /** The most items that one bulk request may hold. */
  readonly bulkLimit: number
  /** What records may show of those of `ids` that are users of the service, in no order. */
  readonly describeUsers: (ids: readonly string[]) => Promise<readonly UserReference[]>
  /** Requests with an `Idempotency-Key` that are under way, by their mark. */
  readonly running: Set<string>
  /** Turns a password into what may be stored of it. */
  readonly hashPassword: (password: string) => Promise<string>
}
