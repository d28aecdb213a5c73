import type { Caller } from '@svc/kernel'
import { digest } from './secret.ts'

/** No access token begins like this, and scanners of leaked secrets can look for it. */
export const PREFIX = 'svc_'
/** The prefix and 256 bits in base64url. */
const SHAPE = /^svc_[A-Za-z0-9_-]{43}$/
/** What a caller's claims hold where a key was shown; no signed token of this server has it. */
const CLAIM = 'api_key'

/** Whether a token is meant as a key. */
export const isMeantAsKey = (token: string): boolean => token.startsWith(PREFIX)

/** Whether a key stands behind a caller, and no user. */
export const isApiKey = ({ claims }: Caller): boolean => claims[CLAIM] === true

/** What is stored of a key; undefined for a text that cannot be one. */
export const hashOfKey = (token: string): string | undefined =>
  SHAPE.test(token) ? digest(token) : undefined

/** Who calls with a key: an identity of its own, whose name no user can have. */
export const callerOfKey = (
  { id, name }: { readonly id: string; readonly name: string },
  roles: readonly string[],
): Caller =>
  Object.freeze({
    kind: 'user',
    id,
    username: `key:${name}`,
    email: null,
    roles: Object.freeze(roles),
    claims: Object.freeze({ [CLAIM]: true }),
  })
