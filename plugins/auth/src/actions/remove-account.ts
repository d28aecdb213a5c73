import { type Action, defineAction, errors, Reply } from '@svc/kernel'
import { StoreConflict } from '@svc/store/contract'
import { z } from 'zod'
import type { Auth } from '../auth.ts'
import type { AccountRemoving } from '../contract.ts'
import { assertOtherAdmin } from '../last-admin.ts'
import { signedIn } from '../signed-in.ts'
import { users } from '../tables.ts'
import { byId } from '../users.ts'

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
          await assertOtherAdmin(transaction, userId)
          removing = { id: userId, caller, requestId, transaction, afterCommit: [], afterRollback: [] }
          await bus.invoke('auth.account.removing', removing)
          await transaction.remove({ table: users.table, where: byId(userId) })
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

const referencedAsConflict = (error: unknown): unknown =>
  error instanceof StoreConflict
    ? errors.CONFLICT({ message: 'Records refer to this account: give them to somebody else first' })
    : error
