import { type Action, defineAction } from '@svc/kernel'
import { StoreConflict } from '@svc/store/contract'
import { z } from 'zod'
import type { Auth } from '../auth.ts'
import { authErrors, tokenInvalid } from '../errors.ts'
import { email, keyOf } from '../fields.ts'
import { signedIn } from '../signed-in.ts'
import { users } from '../tables.ts'
import { byId, findUser } from '../users.ts'

const input = z.strictObject({ new_email: email })
const output = z.strictObject({
  email: z.string(),
  verified: z.literal(false),
  verification_token: z.string().optional().describe('In development alone'),
})

/** Gives the caller another address, which is to be proved anew; tokens that went to the old one are void. */
export function changeEmail({ prefix, identities, letters }: Auth): Action {
  return defineAction<z.output<typeof input>, z.output<typeof output>>({
    name: 'auth.change-email',
    summary: 'Gives the caller another address',
    access: ['authenticated'],
    routes: [`POST ${prefix}/auth/change-email`],
    input,
    output,
    async handle({ new_email: address }, call) {
      const { userId } = signedIn(call)
      const [user, token] = await identities
        .change(call.caller, userId, async (transaction) => {
          const set = { email: address, email_key: keyOf(address), verified: false }
          await transaction.update({ table: users.table, set, where: byId(userId) })
          const changed = await findUser(transaction, byId(userId))
          if (changed === undefined) throw tokenInvalid()
          return [changed, await letters.write(transaction, 'verifyEmail', changed)] as const
        })
        .catch(takenAsUserExists)
      letters.post('verifyEmail', user, token)
      const shown = letters.shown(token)
      const answer = { email: user.email, verified: false as const }
      return shown === undefined ? answer : { ...answer, verification_token: shown }
    },
  })
}

function takenAsUserExists(error: unknown): never {
  if (error instanceof StoreConflict && error.kind === 'unique') throw authErrors.USER_EXISTS()
  throw error
}
