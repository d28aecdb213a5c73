import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../auth.ts'
import { authErrors, tokenInvalid } from '../errors.ts'
import { signedIn } from '../signed-in.ts'
import { byId, findUser } from '../users.ts'

const output = z.strictObject({
  sent: z.literal(true),
  verification_token: z.string().optional().describe('In development alone'),
})

/** Sends a new token to prove the caller's address with. */
export function resendVerification({ prefix, identities, letters }: Auth): Action {
  return defineAction<Record<string, never>, z.output<typeof output>>({
    name: 'auth.resend-verification',
    summary: "Sends a new token to prove the caller's address with",
    access: ['authenticated'],
    routes: [`POST ${prefix}/auth/resend-verification`],
    input: z.strictObject({}),
    output,
    async handle(_, call) {
      const { userId } = signedIn(call)
      const [user, token] = await identities.transaction(call.caller, async (transaction) => {
        const found = await findUser(transaction, byId(userId), true)
        if (found === undefined) throw tokenInvalid()
        if (found.verified) throw authErrors.ALREADY_VERIFIED()
        return [found, await letters.write(transaction, 'verifyEmail', found)] as const
      })
      letters.post('verifyEmail', user, token)
      const shown = letters.shown(token)
      return shown === undefined ? { sent: true } : { sent: true, verification_token: shown }
    },
  })
}
