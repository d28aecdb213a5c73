import { AutomationCapability } from '@svc/automation/contract'
import { DomainsCapability } from '@svc/domain/contract'
import { JobsCapability } from '@svc/jobs/contract'
import { definePlugin } from '@svc/kernel'
import { NotificationsCapability } from '@svc/notifications/contract'
import { StoreCapability } from '@svc/store/contract'
import { config } from './config.ts'
import { startSchedules } from './start.ts'

/** Schedules: what is due at a time, for records or by itself. */
export const schedules = definePlugin({
  name: 'schedules',
  phase: 'domain',
  config,
  requires: {
    automation: AutomationCapability,
    domains: DomainsCapability,
    jobs: JobsCapability,
    notifications: NotificationsCapability,
    store: StoreCapability,
  },
  setup: startSchedules,
})
