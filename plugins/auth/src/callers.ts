import type { Caller, Environment } from '@svc/kernel'
import type { Reader } from '@svc/store/contract'
import { byKeyHash, findKey, rolesOfKeys } from './api-keys.ts'
import { authErrors, tokenInvalid } from './errors.ts'
import { isId } from './fields.ts'
import { callerOfKey, hashOfKey, isMeantAsKey } from './key-identity.ts'
import { rolesOf } from './roles.ts'
import { timestamp } from './rows.ts'
import { findSession } from './sessions.ts'
import type { AccessTokens, Claims } from './token.ts'
import { byId, findUser } from './users.ts'

/** What a token proves by itself, before the store is asked. */
export type Proof = Claims | { readonly keyHash: string }

/** A caller, and for how long the token is good. */
export interface KnownCaller {
  readonly caller: Caller
  /** The id of the user or the key that the caller stands for. */
  readonly subject: string
  /** In milliseconds since 1970. */
  readonly expiresAt: number
}

/** Checks a token without the store. Throws TOKEN_EXPIRED or TOKEN_INVALID. */
export async function prove(tokens: AccessTokens, token: string): Promise<Proof> {
  if (!isMeantAsKey(token)) return tokens.verify(token)
  const keyHash = hashOfKey(token)
  if (keyHash === undefined) throw tokenInvalid()
  return { keyHash }
}

/** Who stands behind a proof now. Throws TOKEN_INVALID or USER_SUSPENDED. */
export const readCaller = (store: Reader, env: Environment, proof: Proof): Promise<KnownCaller> =>
  'keyHash' in proof ? machine(store, env, proof.keyHash) : person(store, proof)

async function machine(store: Reader, env: Environment, hash: string): Promise<KnownCaller> {
  const key = await findKey(store, byKeyHash(hash))
  if (key === undefined) throw tokenInvalid()
  const { id, expiresAt } = key
  if (expiresAt !== null && expiresAt <= timestamp(env.now())) throw tokenInvalid()
  const roles = (await rolesOfKeys(store, [id])).get(id) ?? []
  const until = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt)
  return { caller: callerOfKey(key, roles), subject: id, expiresAt: until }
}

async function person(store: Reader, { userId, sessionId, expiresAt, all }: Claims): Promise<KnownCaller> {
  if (!isId(userId) || !isId(sessionId)) throw tokenInvalid()
  const [session, user, roles] = await Promise.all([
    findSession(store, sessionId),
    findUser(store, byId(userId)),
    rolesOf(store, userId),
  ])
  if (session === undefined || session.userId !== userId || user === undefined) throw tokenInvalid()
  if (user.status === 'suspended') throw authErrors.USER_SUSPENDED()
  const { id, username, email } = user
  const caller: Caller = { kind: 'user', id, username, email, roles: Object.freeze(roles), claims: all }
  return { caller: Object.freeze(caller), subject: userId, expiresAt }
}
