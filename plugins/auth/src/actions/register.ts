import { type Action, defineAction, Reply } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../auth.ts'
import { bodyAndPath } from '../body.ts'
import type { SignIn } from '../contract.ts'
import { deviceOf } from '../device.ts'
import { email, password, username } from '../fields.ts'
import { prepareUser, storeUser } from '../new-account.ts'
import { signIn } from '../sign-in.ts'

const input = z.strictObject({ username, email, password })

/** Makes an account for whoever asks, and signs them in. */
export function register(auth: Auth): Action {
  const { prefix, signIns, letters } = auth
  return defineAction<z.output<typeof input>, SignIn>({
    name: 'auth.register',
    summary: 'Makes an account and signs its owner in',
    access: ['*'],
    routes: [`POST ${prefix}/auth/register`],
    bind: bodyAndPath,
    input,
    output: signIn,
    notes: { status: 201 },
    async handle(given, call) {
      const user = await prepareUser(auth, given)
      const [session, token] = await storeUser(
        auth,
        user,
        [],
        async (transaction) =>
          [
            await signIns.open(transaction, user, deviceOf(call)),
            await letters.write(transaction, 'verifyEmail', user),
          ] as const,
      )
      letters.post('verifyEmail', user, token)
      const answer = await signIns.answer(session, user, [])
      const shown = letters.shown(token)
      return Reply.created(shown === undefined ? answer : { ...answer, verification_token: shown })
    },
  })
}
