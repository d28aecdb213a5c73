import { type Call, errors } from '@svc/kernel'
import { unauthorized } from './errors.ts'

/** The user and the session behind a call. */
export interface SignedIn {
  readonly userId: string
  /** Undefined where the process acts for a user: nobody signed in then. */
  readonly sessionId: string | undefined
}

/** Who is signed in. Throws UNAUTHORIZED for strangers, and FORBIDDEN for the server itself, which has no account. */
export function signedIn({ caller }: Call): SignedIn {
  if (caller.kind === 'system') throw errors.FORBIDDEN({ message: 'The server itself has no account' })
  if (caller.id === null) throw unauthorized()
  const sid = caller.claims['sid']
  return { userId: caller.id, sessionId: typeof sid === 'string' ? sid : undefined }
}

/** Under which key failed passwords are counted: the name that was typed, and the address that it came from. */
export const attemptKey = (login: string, call: Call): string =>
  `${login.toLowerCase()}|${call.request?.remote ?? ''}`
