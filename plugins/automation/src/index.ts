import { definePlugin } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { AutomationCapability } from './automation.ts'
import { startAutomation } from './start.ts'

/** What rules, workflows and schedules share: triggers, actions, durations, switches. */
export const automation = definePlugin({
  name: 'automation',
  phase: 'domain',
  requires: { store: StoreCapability },
  provides: AutomationCapability,
  setup: startAutomation,
})
