import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../../auth.ts'
import { assertOtherAdmin } from '../../last-admin.ts'
import { ADMIN } from '../../roles.ts'
import { users } from '../../tables.ts'
import { byId } from '../../users.ts'
import { type Named, named, namedUser } from '../named-user.ts'

const output = z.strictObject({ username: z.string(), status: z.literal('suspended') })

/** Shuts a user out, from the next request on. */
export function suspendUser({ prefix, store, identities, log }: Auth): Action {
  return defineAction<Named, z.output<typeof output>>({
    name: 'admin.users.suspend',
    summary: 'Shuts a user out, from the next request on',
    access: [ADMIN],
    routes: [`POST ${prefix}/admin/users/:user/suspend`],
    input: named,
    output,
    async handle(given, call) {
      const user = await namedUser(store, given.user)
      await identities.change(call.caller, user.id, async (transaction) => {
        await assertOtherAdmin(transaction, user.id)
        await transaction.update({ table: users.table, set: { status: 'suspended' }, where: byId(user.id) })
      })
      log.info({ userId: user.id, by: call.caller.id }, 'auth.user_suspended')
      return { username: user.username, status: 'suspended' }
    },
  })
}
