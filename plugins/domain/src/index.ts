import { AccountsCapability } from '@svc/auth/contract'
import { definePlugin } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { domainConfig } from './config.ts'
import { DomainsCapability } from './contract.ts'
import { startEngine } from './start.ts'

/** Turns definitions into tables and actions. */
export const domain = definePlugin({
  name: 'domain',
  phase: 'domain',
  config: domainConfig,
  requires: { store: StoreCapability },
  optional: { accounts: AccountsCapability },
  provides: DomainsCapability,
  setup: startEngine,
})
