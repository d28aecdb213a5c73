import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../auth.ts'
import { bodyAndPath } from '../body.ts'
import type { Profile } from '../contract.ts'
import { tokenInvalid } from '../errors.ts'
import { profile, profileOf } from '../profile.ts'
import { rolesOf } from '../roles.ts'
import { signedIn } from '../signed-in.ts'
import { byId, findUser } from '../users.ts'

/** Tells callers who they are. */
export function me({ prefix, store }: Auth): Action {
  return defineAction<Record<string, never>, Profile>({
    name: 'auth.me',
    summary: 'Tells callers who they are',
    access: ['authenticated'],
    routes: [`GET ${prefix}/auth/me`],
    bind: bodyAndPath,
    input: z.strictObject({}),
    output: profile,
    async handle(_, call) {
      const { userId } = signedIn(call)
      const [user, roles] = await Promise.all([findUser(store, byId(userId)), rolesOf(store, userId)])
      if (user === undefined) throw tokenInvalid()
      return profileOf(user, roles)
    },
  })
}
