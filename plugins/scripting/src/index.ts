import { AccountsCapability } from '@svc/auth/contract'
import { definePlugin } from '@svc/kernel'
import { config } from './config.ts'
import { openScripts } from './open.ts'

/** Runs the scripts of a folder when events happen, each in a sandbox of its own. */
export const scripting = definePlugin({
  name: 'scripting',
  phase: 'scripting',
  config,
  requires: { accounts: AccountsCapability },
  setup(context) {
    context.onOpen(() => openScripts(context.config, context))
  },
})
