import { type Action, defineAction, errors } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../auth.ts'
import { email } from '../fields.ts'
import { clientOf } from '../signed-in.ts'
import { byEmail, findUser } from '../users.ts'

const input = z.strictObject({ email })
const output = z.strictObject({
  sent: z.literal(true).describe('Always: it says nothing of whether the address is known'),
  reset_token: z.string().optional().describe('In development alone'),
})

/** Sends a token to reset the password with, if the address is known; the answer and its time do not tell. */
export function forgotPassword(auth: Auth): Action {
  const { prefix, background, letters } = auth
  return defineAction<z.output<typeof input>, z.output<typeof output>>({
    name: 'auth.forgot-password',
    summary: 'Sends a token to reset the password with',
    access: ['*'],
    routes: [`POST ${prefix}/auth/forgot-password`],
    input,
    output,
    async handle({ email: address }, call) {
      if (letters.shown('') === undefined) {
        const work = async () => void (await writeLetter(auth, address))
        if (!background.start('auth.reset_failed', clientOf(call), work))
          throw errors.UNAVAILABLE({ headers: { 'Retry-After': '1' } })
        return { sent: true }
      }
      const token = await writeLetter(auth, address)
      return token === undefined ? { sent: true } : { sent: true, reset_token: token }
    },
  })
}

/** The mail goes to the stored address, never to the one that was typed. */
async function writeLetter({ store, letters }: Auth, address: string): Promise<string | undefined> {
  const letter = await store.transaction(async (transaction) => {
    const user = await findUser(transaction, byEmail(address), true)
    return user && { user, token: await letters.write(transaction, 'resetPassword', user) }
  })
  if (letter !== undefined) letters.post('resetPassword', letter.user, letter.token)
  return letter?.token
}
