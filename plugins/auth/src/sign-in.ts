import type { Environment } from '@svc/kernel'
import type { Transaction } from '@svc/store/contract'
import { z } from 'zod'
import type { AuthConfig } from './config.ts'
import type { SignIn } from './contract.ts'
import type { Device } from './device.ts'
import { profile, profileOf } from './profile.ts'
import { timestamp } from './rows.ts'
import {
  openSession,
  type OpenSession,
  rotateRefreshToken,
  type Rotation,
  type SessionTerms,
} from './sessions.ts'
import { users } from './tables.ts'
import type { AccessTokens } from './token.ts'
import { byId, type User } from './users.ts'

/** What a sign-in answers. */
export const signIn = z.strictObject({
  access_token: z.string(),
  refresh_token: z.string(),
  token_type: z.literal('Bearer'),
  access_expires_in: z.int().describe('Seconds'),
  refresh_expires_in: z.int().describe('Seconds'),
  roles: z.array(z.string()).readonly(),
  user: profile,
  verification_token: z.string().optional().describe('In development alone'),
})

/** Opens sessions, keeps them going, and writes their tokens. */
export interface SignIns {
  /** Opens a session for a user who has proved to be one, and notes the moment. */
  open(transaction: Transaction, user: User, device: Device): Promise<OpenSession>
  rotate(transaction: Transaction, refreshToken: string, device: Device): Promise<Rotation>
  answer(session: OpenSession, user: User, roles: readonly string[]): Promise<SignIn>
}

/** Makes the sign-ins of one configuration. */
export function createSignIns(
  jwt: AuthConfig['jwt'],
  env: Environment,
  newId: () => string,
  tokens: AccessTokens,
): SignIns {
  const terms: SessionTerms = { env, newId, refreshTtlMs: jwt.refresh_token_ttl_seconds * 1000 }
  return {
    async open(transaction, { id }, device) {
      const session = await openSession(transaction, terms, id, device)
      const set = { last_login_at: timestamp(env.now()) }
      await transaction.update({ table: users.table, set, where: byId(id) })
      return session
    },
    rotate: (transaction, refreshToken, device) =>
      rotateRefreshToken(transaction, terms, refreshToken, device),
    async answer(session, user, roles) {
      return {
        access_token: await tokens.sign(user, roles, session.id),
        refresh_token: session.refreshToken,
        token_type: 'Bearer',
        access_expires_in: jwt.access_token_ttl_seconds,
        refresh_expires_in: jwt.refresh_token_ttl_seconds,
        roles,
        user: profileOf(user, roles),
      }
    },
  }
}
