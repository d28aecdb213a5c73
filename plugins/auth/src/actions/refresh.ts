import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../auth.ts'
import type { SignIn } from '../contract.ts'
import { deviceOf } from '../device.ts'
import { authErrors, tokenInvalid } from '../errors.ts'
import { secret } from '../fields.ts'
import { rolesOf } from '../roles.ts'
import { endSession } from '../sessions.ts'
import { signIn } from '../sign-in.ts'
import { byId, findUser } from '../users.ts'

const input = z.strictObject({ refresh_token: secret })

/**
 * Gives a new pair of tokens for a refresh token, once. A second use means that somebody has a copy: the whole
 * session ends, and both the thief and the owner have to sign in.
 */
export function refresh({ prefix, store, identities, signIns, log }: Auth): Action {
  return defineAction<z.output<typeof input>, SignIn>({
    name: 'auth.refresh',
    summary: 'Gives a new pair of tokens',
    access: ['*'],
    routes: [`POST ${prefix}/auth/refresh`],
    input,
    output: signIn,
    async handle({ refresh_token }, call) {
      const outcome = await store.transaction(async (transaction) => {
        const rotation = await signIns.rotate(transaction, refresh_token, deviceOf(call))
        if (rotation.kind !== 'rotated') return rotation
        const user = await findUser(transaction, byId(rotation.session.userId))
        if (user === undefined) throw tokenInvalid()
        call.attribute(user.username)
        // The throw undoes the use of the token: it is good again once the suspension ends.
        if (user.status === 'suspended') throw authErrors.USER_SUSPENDED()
        return { ...rotation, user, roles: await rolesOf(transaction, user.id) }
      })
      if (outcome.kind === 'rotated') return signIns.answer(outcome.session, outcome.user, outcome.roles)
      if (outcome.kind === 'reused') {
        const { userId, sessionId } = outcome
        await identities.change(call.caller, userId, (transaction) =>
          endSession(transaction, userId, sessionId),
        )
        log.warn({ userId, sessionId }, 'auth.refresh_token_reused')
      }
      throw tokenInvalid()
    },
  })
}
