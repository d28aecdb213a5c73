import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../auth.ts'
import type { SignIn } from '../contract.ts'
import { deviceOf } from '../device.ts'
import { authErrors, invalidCredentials } from '../errors.ts'
import { password } from '../fields.ts'
import { rolesOf } from '../roles.ts'
import { signIn } from '../sign-in.ts'
import { attemptOf } from '../signed-in.ts'
import { byId, byLogin, findUser } from '../users.ts'

const MAX_NAME = 254

const input = z.strictObject({
  username: z.string().min(1).max(MAX_NAME).describe('Username or email; case does not matter'),
  password,
})

/** Signs a user in with a password. An unknown name costs and answers the same as a wrong password. */
export function login({ prefix, store, passwords, signIns }: Auth): Action {
  return defineAction<z.output<typeof input>, SignIn>({
    name: 'auth.login',
    summary: 'Signs a user in',
    access: ['*'],
    routes: [`POST ${prefix}/auth/login`],
    input,
    output: signIn,
    subject: nameIn,
    async handle(given, call) {
      const user = await findUser(store, byLogin(given.username))
      if (user !== undefined) call.attribute(user.username)
      const attempt = attemptOf(call, user, given.username)
      const fits = await passwords.matches(user?.passwordHash, given.password, attempt)
      if (user === undefined || !fits) throw invalidCredentials()
      const [session, roles] = await store.transaction(async (transaction) => {
        const now = await findUser(transaction, byId(user.id), true)
        if (now === undefined || now.passwordHash !== user.passwordHash) throw invalidCredentials()
        if (now.status === 'suspended') throw authErrors.USER_SUSPENDED()
        return [
          await signIns.open(transaction, user, deviceOf(call)),
          await rolesOf(transaction, user.id),
        ] as const
      })
      return signIns.answer(session, user, roles)
    },
  })
}

/** The name that a body gives, fit for a log, whatever else the body is. */
function nameIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('username' in body)) return undefined
  return typeof body.username === 'string' ? body.username.slice(0, MAX_NAME) : undefined
}
