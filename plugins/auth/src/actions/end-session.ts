import { type Action, defineAction, Reply } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../auth.ts'
import { endNamedSession } from '../end-named-session.ts'
import { signedIn } from '../signed-in.ts'

const input = z.strictObject({ session: z.string().describe('The id') })

/** Ends one session of the caller, be it another or the present one. */
export function endOwnSession(auth: Auth): Action {
  return defineAction<z.output<typeof input>, never>({
    name: 'auth.sessions.end',
    summary: 'Ends one session of the caller',
    access: ['authenticated'],
    routes: [`DELETE ${auth.prefix}/auth/sessions/:session`],
    input,
    async handle({ session }, call) {
      await endNamedSession(auth, call.caller, signedIn(call).userId, session)
      return Reply.empty()
    },
  })
}
