import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../auth.ts'
import { invalidCredentials, tokenInvalid } from '../errors.ts'
import { password } from '../fields.ts'
import { all, eq, timestamp } from '../rows.ts'
import { endSessions } from '../sessions.ts'
import { attemptOf, signedIn } from '../signed-in.ts'
import { users } from '../tables.ts'
import { voidTickets } from '../tickets.ts'
import { byId, findUser } from '../users.ts'

const input = z.strictObject({ current_password: password, new_password: password })
const output = z.strictObject({ changed: z.literal(true) })

/** Changes the caller's password, and ends all other sessions. */
export function changePassword({ prefix, store, env, passwords, identities }: Auth): Action {
  return defineAction<z.output<typeof input>, z.output<typeof output>>({
    name: 'auth.change-password',
    summary: "Changes the caller's password and ends all other sessions",
    access: ['authenticated'],
    routes: [`POST ${prefix}/auth/change-password`],
    input,
    output,
    async handle({ current_password, new_password }, call) {
      const { userId, sessionId } = signedIn(call)
      const user = await findUser(store, byId(userId))
      if (user === undefined) throw tokenInvalid()
      const attempt = attemptOf(call, user, user.username)
      if (!(await passwords.matches(user.passwordHash, current_password, attempt))) throw invalidCredentials()
      const passwordHash = await passwords.hash(new_password, 'new_password', attempt.client)
      await identities.change(call.caller, userId, async (transaction) => {
        const { count } = await transaction.update({
          table: users.table,
          set: { password_hash: passwordHash },
          // Of two changes at once one wins: the other's current password is not current any more.
          where: all(byId(userId), eq(users.columns.password_hash, user.passwordHash)),
        })
        if (count === 0) throw invalidCredentials()
        await voidTickets(transaction, 'resetPassword', userId)
        await endSessions(transaction, userId, timestamp(env.now()), sessionId)
      })
      return { changed: true }
    },
  })
}
