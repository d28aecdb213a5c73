import type { Domains, KeptAnswers } from '@svc/domain/contract'
import type { Environment, Redaction } from '@svc/kernel'
import type { Outbound } from '@svc/outbound/contract'

/** What integrations are compiled and run with. */
export interface Parts {
  readonly isEnabled: boolean
  readonly maxBodyBytes: number
  readonly domains: Domains
  readonly env: Environment
  readonly outbound: Outbound
  readonly redaction: Redaction
  /** Where answers to requests with an `Idempotency-Key` are kept. */
  readonly answers: Omit<KeptAnswers, 'transaction'>
}
