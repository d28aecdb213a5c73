import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../auth.ts'
import { timestamp } from '../rows.ts'
import { endSessions } from '../sessions.ts'
import { signedIn } from '../signed-in.ts'

const output = z.strictObject({ logged_out: z.literal(true), sessions: z.int() })

/** Ends every session of the caller, the present one too. */
export function logoutAll({ prefix, identities, env }: Auth): Action {
  return defineAction<Record<string, never>, z.output<typeof output>>({
    name: 'auth.logout-all',
    summary: 'Ends every session of the caller',
    access: ['authenticated'],
    routes: [`POST ${prefix}/auth/logout-all`],
    input: z.strictObject({}),
    output,
    async handle(_, call) {
      const { userId } = signedIn(call)
      const now = timestamp(env.now())
      const sessions = await identities.change(call.caller, userId, (transaction) =>
        endSessions(transaction, userId, now),
      )
      return { logged_out: true, sessions }
    },
  })
}
