import type { Caller, Environment } from '@svc/kernel'
import type { Store, Transaction } from '@svc/store/contract'
import { countChange, type ForeignChanges } from './changes.ts'
import { authErrors, tokenInvalid } from './errors.ts'
import { isId } from './fields.ts'
import { createMemory, type Remembered } from './remembered.ts'
import { rolesOf } from './roles.ts'
import { findSession } from './sessions.ts'
import type { AccessTokens, Claims } from './token.ts'
import { byId, findUser } from './users.ts'

/** Some 10 MB of tokens and callers. */
const CAPACITY = 10_000

/** Who stands behind an access token now. */
export interface Identities {
  /** The caller of a token that is hot; undefined where it must be looked up. */
  recall(token: string): Caller | undefined
  /** The caller of a token. Throws TOKEN_EXPIRED, TOKEN_INVALID or USER_SUSPENDED. */
  identify(token: string): Promise<Caller>
  /**
   * Runs a change of what a user may do, or of what callers are told about one. From its commit on no token of the
   * user is believed from memory; other servers of this database follow within a second.
   */
  change<T>(userId: string, work: (transaction: Transaction) => Promise<T>): Promise<T>
}

/** Makes the memory of callers. Roles, status and session are the store's, never the token's. */
export function createIdentities(
  store: Store,
  env: Environment,
  tokens: AccessTokens,
  foreign: ForeignChanges,
): Identities {
  const memory = createMemory(CAPACITY)

  const read = async (token: string, claims: Claims): Promise<Caller> => {
    const { generation } = memory
    const { seen } = foreign
    const caller = await callerOf(store, claims)
    const remembered: Remembered = { ...claims, claims: claims.all, caller, seen }
    // What was forgotten meanwhile must not come back; this request began before the change, the next one will see it.
    if (memory.generation === generation) memory.set(token, remembered)
    return caller
  }

  return {
    recall(token) {
      const known = memory.get(token)
      if (known === undefined || known.seen !== foreign.seen || foreign.isDue()) return undefined
      return known.expiresAt > env.now() ? known.caller : undefined
    },
    async identify(token) {
      if (foreign.isDue()) await foreign.look()
      const known = memory.get(token)
      if (known === undefined || known.expiresAt <= env.now()) {
        memory.delete(token)
        return read(token, await tokens.verify(token))
      }
      if (known.seen === foreign.seen) return known.caller
      memory.delete(token)
      return read(token, { ...known, all: known.claims })
    },
    async change(userId, work) {
      try {
        const [result, version] = await store.transaction(async (transaction) => {
          const done = await work(transaction)
          return [done, await countChange(transaction)] as const
        })
        foreign.own(version)
        return result
      } finally {
        // Also after a failure: a commit whose answer was lost may have happened.
        memory.forget(userId)
      }
    },
  }
}

async function callerOf(store: Store, { userId, sessionId, all }: Claims): Promise<Caller> {
  if (!isId(userId) || !isId(sessionId)) throw tokenInvalid()
  const [session, user, roles] = await Promise.all([
    findSession(store, sessionId),
    findUser(store, byId(userId)),
    rolesOf(store, userId),
  ])
  if (session === undefined || session.userId !== userId || user === undefined) throw tokenInvalid()
  if (user.status === 'suspended') throw authErrors.USER_SUSPENDED()
  const { id, username, email } = user
  return Object.freeze({ kind: 'user', id, username, email, roles: Object.freeze(roles), claims: all })
}
