import { type Action, defineAction, Reply } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../auth.ts'
import type { AccountRemoving } from '../contract.ts'
import { leave, referencedAsConflict } from '../leaving.ts'
import { signedIn } from '../signed-in.ts'

/** Removes the caller's account with all that belongs to it. */
export function removeAccount({ prefix, bus, identities, log }: Auth): Action {
  return defineAction<Record<string, never>, never>({
    name: 'auth.remove-account',
    summary: "Removes the caller's account",
    access: ['authenticated'],
    routes: [`DELETE ${prefix}/auth/account`],
    input: z.strictObject({}),
    async handle(_, call) {
      const { userId } = signedIn(call)
      const { caller, requestId } = call
      let removing: AccountRemoving | undefined
      try {
        await identities.change(caller, userId, async (transaction) => {
          removing = { id: userId, caller, requestId, transaction, afterCommit: [], afterRollback: [] }
          await leave(removing, bus)
        })
      } catch (error) {
        for (const write of removing?.afterRollback ?? []) await write()
        throw referencedAsConflict(error)
      }
      for (const tell of removing?.afterCommit ?? []) tell()
      log.info({ userId }, 'auth.account_removed')
      return Reply.empty()
    },
  })
}
