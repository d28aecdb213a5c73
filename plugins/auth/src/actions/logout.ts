import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../auth.ts'
import { secret } from '../fields.ts'
import { endSession, sessionOfToken } from '../sessions.ts'
import { signedIn } from '../signed-in.ts'

const input = z.strictObject({
  refresh_token: secret
    .optional()
    .describe('Ends the session of this token too, where it is of the same user'),
})
const output = z.strictObject({ logged_out: z.literal(true) })

/** Ends the session that the access token belongs to. */
export function logout({ prefix, identities }: Auth): Action {
  return defineAction<z.output<typeof input>, z.output<typeof output>>({
    name: 'auth.logout',
    summary: 'Ends the present session',
    access: ['authenticated'],
    routes: [`POST ${prefix}/auth/logout`],
    input,
    output,
    async handle({ refresh_token }, call) {
      const { userId, sessionId } = signedIn(call)
      await identities.change(call.caller, userId, async (transaction) => {
        if (sessionId !== undefined) await endSession(transaction, userId, sessionId)
        const other = refresh_token && (await sessionOfToken(transaction, refresh_token))
        if (other) await endSession(transaction, userId, other.id)
      })
      return { logged_out: true }
    },
  })
}
