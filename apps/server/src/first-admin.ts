import { AccountsCapability } from '@svc/auth/contract'
import { definePlugin, type Plugin } from '@svc/kernel'
import { type Administrator, createAdministrator } from './commands/administrator.ts'

/**
 * Makes an administrator where there is none, once accounts can be made and before a seed manifest makes some;
 * `made` is told who.
 */
export const firstAdmin = (made: (administrator: Administrator) => void): Plugin =>
  definePlugin({
    name: 'first-admin',
    phase: 'auth',
    requires: { accounts: AccountsCapability },
    setup: ({ accounts, onOpen }) =>
      onOpen(async () => {
        if (!(await accounts.hasActiveAdmin())) made(await createAdministrator(accounts))
      }),
  })
