import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../../auth.ts'
import type { Account } from '../../contract.ts'
import { email, password, username } from '../../fields.ts'
import { prepareUser, storeUser } from '../../new-account.ts'
import { accountOf } from '../../profile.ts'
import { ADMIN } from '../../roles.ts'
import { clientOf } from '../../signed-in.ts'

const newAccount = z.strictObject({
  username,
  email,
  password,
  roles: z.array(z.string()).default([]),
  verified: z.boolean().default(false),
  origin: z.enum(['registered', 'seeded']).default('registered'),
})

/** Makes an account with its roles in one step; offered inside the process alone. */
export function createUser(auth: Auth): Action {
  return defineAction<z.output<typeof newAccount>, Account>({
    name: 'admin.users.create',
    summary: 'Makes an account with its roles',
    access: [ADMIN],
    input: newAccount,
    async handle(given, call) {
      const user = await prepareUser(auth, given, clientOf(call))
      const roles = await storeUser(auth, user, given.roles, async (_, held) => held)
      return accountOf(user, roles)
    },
  })
}
