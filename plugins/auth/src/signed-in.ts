import { type Call, errors } from '@svc/kernel'
import { clientKey } from '@svc/ratelimit/contract'
import { isApiKey } from './key-identity.ts'
import { unauthorized } from './errors.ts'

/** The user and the session behind a call. */
export interface SignedIn {
  readonly userId: string
  /** Undefined where the process acts for a user: nobody signed in then. */
  readonly sessionId: string | undefined
}

/** Who is signed in. Throws UNAUTHORIZED for strangers, FORBIDDEN for API keys and the server itself: they have no account. */
export function signedIn({ caller }: Call): SignedIn {
  if (caller.kind === 'system') throw errors.FORBIDDEN({ message: 'The server itself has no account' })
  if (caller.id === null) throw unauthorized()
  if (isApiKey(caller))
    throw errors.FORBIDDEN({ message: 'An API key has no account of its own: sign in as a user' })
  const sid = caller.claims['sid']
  return { userId: caller.id, sessionId: typeof sid === 'string' ? sid : undefined }
}

/** Under which key failed passwords are counted: the name that was typed, and the client that it came from. */
export const attemptKey = (login: string, call: Call): string =>
  `${login.toLowerCase()}|${clientKey(call.request?.remote ?? '')}`
