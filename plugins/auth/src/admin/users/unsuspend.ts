import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../../auth.ts'
import { ADMIN } from '../../roles.ts'
import { users } from '../../tables.ts'
import { byId } from '../../users.ts'
import { type Named, named, namedUser } from '../named-user.ts'

const output = z.strictObject({ username: z.string(), status: z.literal('active') })

/** Lets a suspended user in again. */
export function unsuspendUser({ prefix, store, identities, log }: Auth): Action {
  return defineAction<Named, z.output<typeof output>>({
    name: 'admin.users.unsuspend',
    summary: 'Lets a suspended user in again',
    access: [ADMIN],
    routes: [`POST ${prefix}/admin/users/:user/unsuspend`],
    input: named,
    output,
    async handle(given, call) {
      const user = await namedUser(store, given.user)
      await identities.change(call.caller, user.id, (transaction) =>
        transaction.update({ table: users.table, set: { status: 'active' }, where: byId(user.id) }),
      )
      log.info({ userId: user.id, by: call.caller.id }, 'auth.user_unsuspended')
      return { username: user.username, status: 'active' }
    },
  })
}
