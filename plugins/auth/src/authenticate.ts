import { AppError, type Action, type Exchange, type Step } from '@svc/kernel'
import { tokenInvalid } from './errors.ts'
import type { Identities } from './identities.ts'

/** RFC 6750, section 2.1; the scheme's name has no case. */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/** Anybody may run the action: a token adds an identity and is never a hindrance. */
export const isPublic = ({ access }: Action): boolean => access !== 'record' && access.includes('*')

/**
 * Finds out who calls. Without a token nobody is known. With a bad one a protected action is refused, and a public
 * one goes on as for a stranger.
 */
export function authenticate(identities: Identities): Step {
  return (exchange) => {
    const header = exchange.request.meta('authorization')
    if (header === undefined || header === '') return undefined
    const token = BEARER.exec(header)?.[1]
    const known = token === undefined ? undefined : identities.recall(token)
    if (known === undefined) return lookUp(identities, exchange, token)
    exchange.caller = known
    return undefined
  }
}

async function lookUp(identities: Identities, exchange: Exchange, token: string | undefined): Promise<void> {
  try {
    if (token === undefined) throw tokenInvalid()
    exchange.caller = await identities.identify(token)
  } catch (error) {
    if (!isPublic(exchange.action) || !(error instanceof AppError)) throw error
  }
}
