import { AccountsCapability } from '@svc/auth/contract'
import { DomainsCapability } from '@svc/domain/contract'
import { JobsCapability } from '@svc/jobs/contract'
import { definePlugin } from '@svc/kernel'
import { MediaCapability } from '@svc/media/contract'
import { NotificationsCapability } from '@svc/notifications/contract'
import { KeptSecretsCapability, OutboundCapability } from '@svc/outbound/contract'
import { StoreCapability } from '@svc/store/contract'
import { config } from './config.ts'
import { startIntegrations } from './start.ts'

/** Integrations: operations that a definition has done elsewhere. */
export const integrations = definePlugin({
  name: 'integrations',
  phase: 'domain',
  config,
  requires: {
    accounts: AccountsCapability,
    domains: DomainsCapability,
    jobs: JobsCapability,
    notifications: NotificationsCapability,
    outbound: OutboundCapability,
    store: StoreCapability,
  },
  optional: { media: MediaCapability },
  provides: KeptSecretsCapability,
  setup: startIntegrations,
})
