import { AccountsCapability } from '@svc/auth/contract'
import { DomainsCapability } from '@svc/domain/contract'
import { JobsCapability } from '@svc/jobs/contract'
import { definePlugin } from '@svc/kernel'
import { ManagementCapability } from '@svc/management/contract'
import { MediaCapability } from '@svc/media/contract'
import { HttpServerCapability } from '@svc/rest/contract'
import { StoreCapability } from '@svc/store/contract'
import { startPrivacy } from './start.ts'

/** Personal data: whose it is, what may be asked of it, and what becomes of it. */
export const privacy = definePlugin({
  name: 'privacy',
  phase: 'domain',
  requires: {
    domains: DomainsCapability,
    jobs: JobsCapability,
    store: StoreCapability,
    accounts: AccountsCapability,
  },
  optional: { management: ManagementCapability, http: HttpServerCapability, media: MediaCapability },
  setup: startPrivacy,
})
