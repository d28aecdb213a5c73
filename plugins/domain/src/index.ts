import { AccountsCapability } from '@svc/auth/contract'
import { definePlugin } from '@svc/kernel'
import { ManagementCapability } from '@svc/management/contract'
import { StoreCapability } from '@svc/store/contract'
import { domainConfig } from './config.ts'
import { DomainsCapability } from './contract/domains.ts'
import { assertReadable } from './lifecycle/boot.ts'
import { startEngine } from './engine/start.ts'

/** Turns definitions into tables and actions. */
export const domain = definePlugin({
  name: 'domain',
  phase: 'domain',
  config: domainConfig,
  requires: { store: StoreCapability },
  optional: { accounts: AccountsCapability, management: ManagementCapability },
  provides: DomainsCapability,
  check: ({ config }) => assertReadable(config.domain_file),
  setup: startEngine,
})
