import { DomainsCapability } from '@svc/domain/contract'
import { definePlugin } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { startHistory } from './start.ts'

/** Keeps three ledgers of what happens to records: who changed what, earlier versions, and a timeline. */
export const history = definePlugin({
  name: 'history',
  phase: 'domain',
  requires: { domains: DomainsCapability, store: StoreCapability },
  setup: startHistory,
})
