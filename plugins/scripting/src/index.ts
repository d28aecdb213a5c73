import { resolve } from 'node:path'
import { AccountsCapability } from '@svc/auth/contract'
import { DomainsCapability } from '@svc/domain/contract'
import { definePlugin } from '@svc/kernel'
import { config } from './config.ts'
import { readScripts } from './folder.ts'
import { openScripts } from './open.ts'

/** Runs the scripts of a folder when events happen, each in a sandbox of its own. */
export const scripting = definePlugin({
  name: 'scripting',
  phase: 'scripting',
  config,
  requires: { accounts: AccountsCapability },
  optional: { domains: DomainsCapability },
  async check({ config: { dir } }) {
    if (dir !== undefined) await readScripts(resolve(dir))
  },
  setup(context) {
    context.onOpen(() => openScripts(context.config, context))
  },
})
