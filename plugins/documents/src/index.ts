import { DomainsCapability } from '@svc/domain/contract'
import { FilesCapability } from '@svc/files/contract'
import { definePlugin } from '@svc/kernel'
import { MediaCapability } from '@svc/media/contract'
import { RenderCapability } from '@svc/render/contract'
import { StoreCapability } from '@svc/store/contract'
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
  },
  setup: startDocuments,
})
