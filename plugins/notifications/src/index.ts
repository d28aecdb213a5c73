import { AccountsCapability } from '@svc/auth/contract'
import { AutomationCapability } from '@svc/automation/contract'
import { DomainsCapability } from '@svc/domain/contract'
import { JobsCapability } from '@svc/jobs/contract'
import { definePlugin } from '@svc/kernel'
import { MailerCapability } from '@svc/mail/contract'
import { MetricsCapability } from '@svc/metrics/contract'
import { OutboundCapability } from '@svc/outbound/contract'
import { StoreCapability } from '@svc/store/contract'
import { config } from './config.ts'
import { NotificationsCapability } from './contract.ts'
import { startNotifications } from './start.ts'

/** Sends what definitions have to say: an outbox that survives crashes, channels, and a ledger of what was sent. */
export const notifications = definePlugin({
  name: 'notifications',
  phase: 'domain',
  config,
  requires: {
    domains: DomainsCapability,
    store: StoreCapability,
    jobs: JobsCapability,
  },
  optional: {
    accounts: AccountsCapability,
    automation: AutomationCapability,
    mailer: MailerCapability,
    metrics: MetricsCapability,
    outbound: OutboundCapability,
  },
  provides: NotificationsCapability,
  setup: startNotifications,
})
