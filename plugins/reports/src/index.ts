import { DocumentsCapability } from '@svc/documents/contract'
import { DomainsCapability } from '@svc/domain/contract'
import { definePlugin } from '@svc/kernel'
import { RenderCapability } from '@svc/render/contract'
import { startReports } from './start.ts'

/** Views, reports and dashboards of domains. */
export const reports = definePlugin({
  name: 'reports',
  phase: 'domain',
  requires: { domains: DomainsCapability, render: RenderCapability },
  optional: { documents: DocumentsCapability },
  setup: startReports,
})
