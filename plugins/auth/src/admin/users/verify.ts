import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../../auth.ts'
import { ADMIN } from '../../roles.ts'
import { users } from '../../tables.ts'
import { byId } from '../../users.ts'
import { type Named, named, namedUser } from '../named-user.ts'

const output = z.strictObject({ username: z.string(), verified: z.literal(true) })

/** Takes a user's address as proved. */
export function verifyUser({ prefix, store, identities }: Auth): Action {
  return defineAction<Named, z.output<typeof output>>({
    name: 'admin.users.verify',
    summary: "Takes a user's address as proved",
    access: [ADMIN],
    routes: [`POST ${prefix}/admin/users/:user/verify`],
    input: named,
    output,
    async handle(given, { caller }) {
      const user = await namedUser(store, given.user)
      await identities.transaction(caller, (transaction) =>
        transaction.update({ table: users.table, set: { verified: true }, where: byId(user.id) }),
      )
      return { username: user.username, verified: true }
    },
  })
}
