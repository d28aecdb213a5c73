import { AppError, type Action, type Caller, type Exchange, type Step } from '@svc/kernel'
import type { Auth } from './auth.ts'
import { tokenInvalid } from './errors.ts'
import { isApiKey } from './key-identity.ts'

/** RFC 6750, section 2.1; the scheme's name has no case. */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/** How nearly everybody writes it: what is remembered needs no second look at its letters. */
const USUAL = 'Bearer '

type Authenticating = Pick<Auth, 'identities' | 'keyUse'>

/** Anybody may run the action: a token adds an identity and is never a hindrance. */
export const isPublic = ({ access }: Action): boolean => access !== 'record' && access.includes('*')

/**
 * Finds out who calls. Without a token nobody is known. With a bad one a protected action is refused, and a public
 * one goes on as for a stranger.
 */
export function authenticate(auth: Authenticating): Step {
  const { identities } = auth
  return (exchange) => {
    const header = exchange.request.meta('authorization')
    if (header === undefined || header === '') return undefined
    const hot = header.startsWith(USUAL) ? identities.recall(header.slice(USUAL.length)) : undefined
    if (hot !== undefined) return accept(auth, exchange, hot)
    const token = BEARER.exec(header)?.[1]
    const known = token === undefined ? undefined : identities.recall(token)
    if (known === undefined) return lookUp(auth, exchange, token)
    return accept(auth, exchange, known)
  }
}

function accept({ keyUse }: Authenticating, exchange: Exchange, caller: Caller): void {
  exchange.caller = caller
  if (caller.id !== null && isApiKey(caller)) keyUse.note(caller.id)
}

async function lookUp(auth: Authenticating, exchange: Exchange, token: string | undefined): Promise<void> {
  try {
    if (token === undefined) throw tokenInvalid()
    accept(auth, exchange, await auth.identities.identify(token))
  } catch (error) {
    if (!isPublic(exchange.action) || !(error instanceof AppError)) throw error
  }
}
