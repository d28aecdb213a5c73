import { createSecretKey } from 'node:crypto'
import type { Environment } from '@svc/kernel'
import { errors as joseErrors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { AuthConfig } from './config.ts'
import { tokenExpired, tokenInvalid } from './errors.ts'
import type { User } from './users.ts'

/** What a genuine access token says. */
export interface Claims {
  readonly userId: string
  readonly sessionId: string
  /** In milliseconds since 1970. */
  readonly expiresAt: number
  readonly all: Readonly<Record<string, unknown>>
}

/** Signs and checks access tokens: JWTs of RFC 7519 under HMAC-SHA256. */
export interface AccessTokens {
  sign(user: User, roles: readonly string[], sessionId: string): Promise<string>
  /** Throws TOKEN_EXPIRED for a token that was genuine once, TOKEN_INVALID for any other fault. */
  verify(token: string): Promise<Claims>
}

/** No request brings a longer token, and those with the most and longest roles are shorter; checking longer ones would cost. */
const MAX_LENGTH = 16_384
/** RFC 7515, section 2: base64url without padding. The library reads other spellings too; one token has one. */
const SHAPE = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Makes the signer of access tokens. The algorithm is pinned: a token's own header has no say. */
export function createAccessTokens(
  jwt: AuthConfig['jwt'],
  env: Environment,
  newId: () => string,
): AccessTokens {
  const key = createSecretKey(Buffer.from(jwt.secret))
  const nowSeconds = () => Math.floor(env.now() / 1000)

  return {
    sign(user, roles, sessionId) {
      const { username, email } = user
      return new SignJWT({ username, email, roles, sid: sessionId })
        .setProtectedHeader({ alg: jwt.algorithm, typ: 'JWT' })
        .setSubject(user.id)
        .setIssuer(jwt.issuer)
        .setIssuedAt(nowSeconds())
        .setExpirationTime(nowSeconds() + jwt.access_token_ttl_seconds)
        .setJti(newId())
        .sign(key)
    },
    async verify(token) {
      if (token.length > MAX_LENGTH || !SHAPE.test(token)) throw tokenInvalid()
      try {
        const options = { algorithms: [jwt.algorithm], issuer: jwt.issuer, currentDate: new Date(env.now()) }
        return claimsOf((await jwtVerify(token, key, options)).payload)
      } catch (error) {
        throw error instanceof joseErrors.JWTExpired ? tokenExpired() : tokenInvalid()
      }
    },
  }
}

function claimsOf(payload: JWTPayload): Claims {
  const { sub, exp } = payload
  const sid = payload['sid']
  if (typeof sub !== 'string' || typeof sid !== 'string' || typeof exp !== 'number') throw tokenInvalid()
  return { userId: sub, sessionId: sid, expiresAt: exp * 1000, all: Object.freeze({ ...payload }) }
}
