import { type Action, type Caller, defineAction } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../auth.ts'
import type { Profile } from '../contract.ts'
import { tokenInvalid } from '../errors.ts'
import { isApiKey } from '../key-identity.ts'
import { profile, profileOf } from '../profile.ts'
import { rolesOf } from '../roles.ts'
import { signedIn } from '../signed-in.ts'
import { byId, findUser } from '../users.ts'

const machine = z.strictObject({
  id: z.string().describe('UUID of the API key'),
  username: z.string(),
  roles: z.array(z.string()).readonly(),
  api_key: z.literal(true),
})

/** Tells callers who they are: users get the profile of a sign-in. */
export function me({ prefix, store }: Auth): Action {
  return defineAction<Record<string, never>, Profile | z.output<typeof machine>>({
    name: 'auth.me',
    summary: 'Tells callers who they are',
    access: ['authenticated'],
    routes: [`GET ${prefix}/auth/me`],
    bind: ({ params }) => params,
    input: z.strictObject({}),
    output: z.union([profile, machine]),
    async handle(_, call) {
      if (isApiKey(call.caller)) return machineOf(call.caller)
      const { userId } = signedIn(call)
      const [user, roles] = await Promise.all([findUser(store, byId(userId)), rolesOf(store, userId)])
      if (user === undefined) throw tokenInvalid()
      return profileOf(user, roles)
    },
  })
}

const machineOf = ({ id, username, roles }: Caller): z.output<typeof machine> => ({
  id: id ?? '',
  username: username ?? '',
  roles,
  api_key: true,
})
