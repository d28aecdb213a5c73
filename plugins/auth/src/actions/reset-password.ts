import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../auth.ts'
import { tokenInvalid } from '../errors.ts'
import { password, secret } from '../fields.ts'
import { all, eq, timestamp } from '../rows.ts'
import { endSessions } from '../sessions.ts'
import { clientOf } from '../signed-in.ts'
import { users } from '../tables.ts'
import { findTicket, useTicket } from '../tickets.ts'
import { byId } from '../users.ts'

const input = z.strictObject({ token: secret, new_password: password })
const output = z.strictObject({ changed: z.literal(true) })

/** Sets a new password for the owner of a reset token, and ends every session. */
export function resetPassword({ prefix, store, env, passwords, identities }: Auth): Action {
  return defineAction<z.output<typeof input>, z.output<typeof output>>({
    name: 'auth.reset-password',
    summary: 'Sets a new password with a reset token',
    access: ['*'],
    routes: [`POST ${prefix}/auth/reset-password`],
    input,
    output,
    async handle({ token, new_password }, call) {
      // A look first, so that nobody can make the server hash without a token.
      const ticket = await findTicket(store, env, 'resetPassword', token)
      if (ticket === undefined) throw tokenInvalid()
      const { userId, emailKey } = ticket
      const passwordHash = await passwords.hash(new_password, 'new_password', clientOf(call))
      await identities.change(call.caller, userId, async (transaction) => {
        if (!(await useTicket(transaction, env, 'resetPassword', token))) throw tokenInvalid()
        const { count } = await transaction.update({
          table: users.table,
          set: { password_hash: passwordHash },
          where: all(byId(userId), eq(users.columns.email_key, emailKey)),
        })
        if (count === 0) throw tokenInvalid()
        await endSessions(transaction, userId, timestamp(env.now()))
      })
      return { changed: true }
    },
  })
}
