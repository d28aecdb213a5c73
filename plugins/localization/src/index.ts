import { DomainsCapability } from '@svc/domain/contract'
import { definePlugin } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { startLocalization } from './start.ts'

/** The languages of domains: what is said in which, and how that goes to translators and comes back. */
export const localization = definePlugin({
  name: 'localization',
  phase: 'domain',
  requires: { domains: DomainsCapability, store: StoreCapability },
  setup: startLocalization,
})
