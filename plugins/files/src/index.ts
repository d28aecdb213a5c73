import { AccountsCapability } from '@svc/auth/contract'
import { definePlugin } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { config } from './config.ts'
import { ByteStoreCapability, FilesCapability } from './contract.ts'
import { checkRoot, startFiles } from './start.ts'

/** Files: bytes in a folder or a bucket, how they come, and how they are given out. */
export const files = definePlugin({
  name: 'files',
  phase: 'domain',
  config,
  requires: { store: StoreCapability, accounts: AccountsCapability },
  optional: { elsewhere: ByteStoreCapability },
  provides: FilesCapability,
  check: ({ config: given }) => checkRoot(given),
  setup: startFiles,
})
