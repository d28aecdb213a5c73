import { type Action, type Caller, defineAction, errors, Reply } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../auth.ts'
import type { SignIn } from '../contract.ts'
import { deviceOf } from '../device.ts'
import { authErrors } from '../errors.ts'
import { email, password, username } from '../fields.ts'
import { prepareUser, storeUser } from '../new-account.ts'
import { ADMIN } from '../roles.ts'
import { signIn } from '../sign-in.ts'
import { clientOf } from '../signed-in.ts'

const input = z.strictObject({ username, email, password })

/** Makes an account for whoever asks, and signs them in; where that is switched off it says so. */
export const register = (auth: Auth): Action => (auth.registration.enabled ? open(auth) : closed(auth))

function open(auth: Auth): Action {
  const { prefix, registration, reservations, signIns, letters } = auth
  return defineAction<z.output<typeof input>, SignIn>({
    name: 'auth.register',
    summary: 'Makes an account and signs its owner in',
    access: ['*'],
    routes: [`POST ${prefix}/auth/register`],
    input,
    output: signIn,
    notes: { status: 201 },
    async handle(given, call) {
      if (reservations.has(given.username) && !isAdministrator(call.caller)) throw authErrors.USER_EXISTS()
      const user = await prepareUser(auth, given, clientOf(call))
      const [session, token, roles] = await storeUser(
        auth,
        user,
        registration.roles,
        async (transaction, held) =>
          [
            await signIns.open(transaction, user, deviceOf(call)),
            await letters.write(transaction, 'verifyEmail', user),
            held,
          ] as const,
      )
      call.attribute(user.username)
      letters.post('verifyEmail', user, token)
      const answer = await signIns.answer(session, user, roles)
      const shown = letters.shown(token)
      return Reply.created(shown === undefined ? answer : { ...answer, verification_token: shown })
    },
  })
}

/** Who may give away a name that is kept: the answer signs the new account in, and its maker stays who they are. */
const isAdministrator = ({ kind, roles }: Caller): boolean => kind === 'system' || roles.includes(ADMIN)

/** Refuses before anything is said of the body. Documents do not offer it. */
const closed = ({ prefix }: Auth): Action =>
  defineAction<undefined, never>({
    name: 'auth.register',
    summary: 'Is closed: administrators make the accounts',
    access: ['*'],
    routes: [`POST ${prefix}/auth/register`],
    bind: () => undefined,
    notes: { openapi: false },
    handle() {
      throw errors.FORBIDDEN({ message: 'Registration is closed: ask an administrator for an account' })
    },
  })
