import { type Call, errors } from '@svc/kernel'
import { clientKey } from '@svc/ratelimit/contract'
import { unauthorized } from './errors.ts'
import { keyOf } from './fields.ts'
import { isApiKey } from './key-identity.ts'
import type { Attempt } from './password.ts'
import type { User } from './users.ts'

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

/** The client that a call came from. */
export const clientOf = (call: Call): string => clientKey(call.request?.remote ?? '')

/**
 * How failed passwords are counted: for an account, by whatever name it was called, and for a name that nobody has; both
 * from one client.
 */
export function attemptOf(call: Call, user: User | undefined, login: string): Attempt {
  const client = clientOf(call)
  const whose = user === undefined ? `name|${keyOf(login)}` : `account|${user.id}`
  return { key: `${whose}|${client}`, client }
}
