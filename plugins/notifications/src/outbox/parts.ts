import type { Accounts } from '@svc/auth/contract'
import type { Data, Site } from '@svc/domain/contract'
import type { JobKind } from '@svc/jobs/contract'
import type { Bus, Environment, Logger } from '@svc/kernel'
import type { Channel } from '../channel.ts'
import type { OpenEnclosure } from '../contract.ts'
import type { NotificationMetrics } from '../metrics.ts'
import type { Sending } from './raise.ts'

/** A domain whose messages this server sends. */
export interface OpenDomain {
  readonly data: Data
  /** Where kept texts are compiled against the model in force. */
  readonly site: Site
}

export interface SendParts {
  readonly domains: ReadonlyMap<string, OpenDomain>
  readonly find: (channel: string) => Channel | undefined
  /** How files of a kind are opened that messages enclose. */
  readonly opener: (kind: string) => OpenEnclosure | undefined
  readonly accounts: Accounts | undefined
  readonly sending: () => JobKind<Sending>
  readonly retryMs: readonly number[]
  readonly metrics: NotificationMetrics
  readonly env: Environment
  readonly bus: Bus
  readonly log: Logger
  readonly newId: () => string
}
