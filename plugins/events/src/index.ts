import { DomainsCapability } from '@svc/domain/contract'
import { definePlugin } from '@svc/kernel'
import { JobsCapability } from '@svc/jobs/contract'
import { EventsCapability } from './contract.ts'
import { startEvents } from './start.ts'

/** What happened to records, kept as long as somebody has still to hear it. */
export const events = definePlugin({
  name: 'events',
  phase: 'domain',
  requires: { domains: DomainsCapability, jobs: JobsCapability },
  provides: EventsCapability,
  setup: startEvents,
})
