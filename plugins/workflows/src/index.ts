import { AutomationCapability } from '@svc/automation/contract'
import { DomainsCapability } from '@svc/domain/contract'
import { EventsCapability } from '@svc/events/contract'
import { JobsCapability } from '@svc/jobs/contract'
import { definePlugin } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { config } from './config.ts'
import { WorkflowsCapability } from './contract.ts'
import { startWorkflows } from './start.ts'

/** Workflows: steps, waits and branches that survive restarts. */
export const workflows = definePlugin({
  name: 'workflows',
  phase: 'domain',
  config,
  requires: {
    automation: AutomationCapability,
    domains: DomainsCapability,
    events: EventsCapability,
    jobs: JobsCapability,
    store: StoreCapability,
  },
  provides: WorkflowsCapability,
  setup: (context) => startWorkflows(context),
})
