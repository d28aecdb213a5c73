import { DomainsCapability } from '@svc/domain/contract'
import { FilesCapability } from '@svc/files/contract'
import { definePlugin } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { config } from './config.ts'
import { MediaCapability } from './contract.ts'
import { startMedia } from './start.ts'

/** Media: a library of files in every domain. */
export const media = definePlugin({
  name: 'media',
  phase: 'domain',
  config,
  requires: {
    store: StoreCapability,
    domains: DomainsCapability,
    files: FilesCapability,
  },
  provides: MediaCapability,
  setup: startMedia,
})
