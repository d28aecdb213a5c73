import type { Accounts } from '@svc/auth/contract'
import type { Domains, KeptAnswers } from '@svc/domain/contract'
import type { JobKind } from '@svc/jobs/contract'
import type { Bus, Environment, Logger, Redaction } from '@svc/kernel'
import type { Media } from '@svc/media/contract'
import type { Notifications } from '@svc/notifications/contract'
import type { KeptSecrets, Outbound } from '@svc/outbound/contract'
import type { Store } from '@svc/store/contract'
import type { Files } from './auth/files.ts'
import type { ConsumerJob } from './inbound/consumer-job.ts'
import type { RunJob } from './run/job.ts'

/** What integrations are compiled and run with. */
export interface Parts {
  readonly isEnabled: boolean
  readonly maxBodyBytes: number
  readonly logRetentionDays: number
  readonly accounts: Accounts
  readonly domains: Domains
  readonly env: Environment
  readonly bus: Bus
  readonly log: Logger
  readonly store: Store
  readonly outbound: Outbound
  /** Where people find this server; undefined where the operator does not say. */
  readonly publicUrl: string | undefined
  /** The files that definitions may name. */
  readonly files: Files
  readonly redaction: Redaction
  readonly notifications: Notifications
  /** The libraries of domains; undefined without the plugin. */
  readonly media: Media | undefined
  /** Seals what has to be kept of what is sent. */
  readonly kept: KeptSecrets
  /** Ids in the order in which they are asked for. */
  readonly newId: () => string
  /** The durable work of runs. */
  readonly jobs: () => JobKind<RunJob>
  /** The durable work of consumers. */
  readonly consumers: () => JobKind<ConsumerJob>
  /** Where answers to requests with an `Idempotency-Key` are kept. */
  readonly answers: Omit<KeptAnswers, 'transaction'>
}
