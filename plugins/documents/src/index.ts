import { AutomationCapability } from '@svc/automation/contract'
import { DomainsCapability } from '@svc/domain/contract'
import { FilesCapability } from '@svc/files/contract'
import { JobsCapability } from '@svc/jobs/contract'
import { definePlugin } from '@svc/kernel'
import { MediaCapability } from '@svc/media/contract'
import { NotificationsCapability } from '@svc/notifications/contract'
import { RenderCapability } from '@svc/render/contract'
import { StoreCapability } from '@svc/store/contract'
import { DocumentsCapability } from './contract.ts'
import { startDocuments } from './start.ts'

/** Templates of domains, and the documents that are made of them. */
export const documents = definePlugin({
  name: 'documents',
  phase: 'domain',
  requires: {
    store: StoreCapability,
    domains: DomainsCapability,
    files: FilesCapability,
    media: MediaCapability,
    render: RenderCapability,
    jobs: JobsCapability,
    automation: AutomationCapability,
    notifications: NotificationsCapability,
  },
  provides: DocumentsCapability,
  setup: startDocuments,
})
