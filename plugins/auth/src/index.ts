import { definePlugin } from '@svc/kernel'
import { MailerCapability } from '@svc/mail/contract'
import { FailureLimitCapability } from '@svc/ratelimit/contract'
import { StoreCapability } from '@svc/store/contract'
import { createAccounts } from './accounts.ts'
import { authActions } from './actions.ts'
import { authenticate } from './authenticate.ts'
import { authorize } from './authorize.ts'
import { config } from './config.ts'
import { AccountsCapability } from './contract.ts'
import { startAuth } from './start.ts'

/** Accounts, sessions and roles; fills the pipeline's `authenticate` and `authorize`. */
export const auth = definePlugin({
  name: 'auth',
  phase: 'auth',
  config,
  requires: { store: StoreCapability },
  optional: { limit: FailureLimitCapability, mailer: MailerCapability },
  provides: AccountsCapability,
  async setup(context) {
    const own = await startAuth(context)
    context.pipeline.fill('authenticate', authenticate(own))
    context.pipeline.fill('authorize', authorize)
    context.actions.add(...authActions(own))
    return createAccounts(own, context.call)
  },
})
