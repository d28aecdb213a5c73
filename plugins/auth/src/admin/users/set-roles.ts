import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../../auth.ts'
import { roleName } from '../../fields.ts'
import { assertOtherAdmin } from '../../last-admin.ts'
import { ADMIN, replaceRoles } from '../../roles.ts'
import { holdUser } from '../../users.ts'
import { named, namedUser } from '../named-user.ts'

const input = named.extend({ roles: z.array(roleName).max(100) })
const output = z.strictObject({ username: z.string(), roles: z.array(z.string()).readonly() })

/** Gives a user exactly these roles, from their next request on. */
export function setRoles({ prefix, store, identities, log }: Auth): Action {
  return defineAction<z.output<typeof input>, z.output<typeof output>>({
    name: 'admin.users.roles',
    summary: 'Gives a user exactly these roles',
    access: [ADMIN],
    routes: [`PUT ${prefix}/admin/users/:user/roles`, `POST ${prefix}/admin/users/:user/roles`],
    input,
    output,
    async handle({ user: name, roles: wanted }, call) {
      const user = await namedUser(store, name)
      const roles = await identities.change(call.caller, user.id, async (transaction) => {
        if (!wanted.includes(ADMIN)) await assertOtherAdmin(transaction, user.id)
        await holdUser(transaction, user.id)
        return replaceRoles(transaction, user.id, wanted)
      })
      log.info({ userId: user.id, roles, by: call.caller.id }, 'auth.roles_changed')
      return { username: user.username, roles }
    },
  })
}
