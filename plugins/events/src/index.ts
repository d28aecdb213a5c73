import { AccountsCapability } from '@svc/auth/contract'
import { DomainsCapability } from '@svc/domain/contract'
import { definePlugin } from '@svc/kernel'
import { JobsCapability } from '@svc/jobs/contract'
import { StoreCapability } from '@svc/store/contract'
import { config } from './config.ts'
import { EventsCapability } from './contract.ts'
import { startEvents } from './start.ts'

/** What happened to records, kept for those who hear of it: inside as long as they need it, outside for a time. */
export const events = definePlugin({
  name: 'events',
  phase: 'domain',
  config,
  requires: {
    accounts: AccountsCapability,
    domains: DomainsCapability,
    jobs: JobsCapability,
    store: StoreCapability,
  },
  provides: EventsCapability,
  setup: startEvents,
})
