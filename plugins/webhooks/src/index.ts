import { AccountsCapability } from '@svc/auth/contract'
import { DomainsCapability } from '@svc/domain/contract'
import { EventsCapability } from '@svc/events/contract'
import { JobsCapability } from '@svc/jobs/contract'
import { definePlugin } from '@svc/kernel'
import { MailerCapability } from '@svc/mail/contract'
import { KeptSecretsCapability, OutboundCapability } from '@svc/outbound/contract'
import { StoreCapability } from '@svc/store/contract'
import { config } from './config.ts'
import { startWebhooks } from './start.ts'

/** Endpoints elsewhere that are told what happens to records, as Standard Webhooks 1.0.0 have it. */
export const webhooks = definePlugin({
  name: 'webhooks',
  phase: 'domain',
  config,
  requires: {
    accounts: AccountsCapability,
    domains: DomainsCapability,
    events: EventsCapability,
    jobs: JobsCapability,
    outbound: OutboundCapability,
    store: StoreCapability,
  },
  optional: { mailer: MailerCapability, secrets: KeptSecretsCapability },
  setup: startWebhooks,
})
