import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../auth.ts'
import { tokenInvalid } from '../errors.ts'
import { secret } from '../fields.ts'
import { all, eq } from '../rows.ts'
import { users } from '../tables.ts'
import { findTicket, useTicket } from '../tickets.ts'
import { byId } from '../users.ts'

const input = z.strictObject({ token: secret })
const output = z.strictObject({ verified: z.literal(true) })

/** Proves that the user's address is theirs, if it still is the one that the token went to. */
export function verifyEmail({ prefix, store, env }: Auth): Action {
  return defineAction<z.output<typeof input>, z.output<typeof output>>({
    name: 'auth.verify-email',
    summary: 'Proves an address with a verification token',
    access: ['*'],
    routes: [`POST ${prefix}/auth/verify-email`],
    input,
    output,
    async handle({ token }) {
      await store.transaction(async (transaction) => {
        const ticket = await findTicket(transaction, env, 'verifyEmail', token)
        if (ticket === undefined) throw tokenInvalid()
        if (!(await useTicket(transaction, env, 'verifyEmail', token))) throw tokenInvalid()
        const { count } = await transaction.update({
          table: users.table,
          set: { verified: true },
          where: all(byId(ticket.userId), eq(users.columns.email_key, ticket.emailKey)),
        })
        if (count === 0) throw tokenInvalid()
      })
      return { verified: true }
    },
  })
}
