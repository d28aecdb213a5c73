import { AutomationCapability } from '@svc/automation/contract'
import { DomainsCapability } from '@svc/domain/contract'
import { definePlugin } from '@svc/kernel'
import { NotificationsCapability } from '@svc/notifications/contract'
import { StoreCapability } from '@svc/store/contract'
import { RulesConfig } from './config.ts'
import { startRules } from './start.ts'

/** Rules of a domain: what is refused, warned of and logged. */
export const rules = definePlugin({
  name: 'rules',
  phase: 'domain',
  config: RulesConfig,
  requires: { domains: DomainsCapability, store: StoreCapability, automation: AutomationCapability },
  optional: { notifications: NotificationsCapability },
  setup: startRules,
})
