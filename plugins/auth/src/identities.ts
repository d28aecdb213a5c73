import type { Caller, Environment } from '@svc/kernel'
import type { Store, Transaction } from '@svc/store/contract'
import { type Proof, prove, readCaller } from './callers.ts'
import { countChange, type ForeignChanges } from './changes.ts'
import { createMemory } from './remembered.ts'
import type { AccessTokens } from './token.ts'

/** Some 10 MB of tokens and callers. */
const CAPACITY = 10_000

/** Who stands behind an access token or an API key now. */
export interface Identities {
  /** The caller of a token that is hot; undefined where it must be looked up. */
  recall(token: string): Caller | undefined
  /** The caller of a token. Throws TOKEN_EXPIRED, TOKEN_INVALID or USER_SUSPENDED. */
  identify(token: string): Promise<Caller>
  /**
   * Runs a change of what a user or key may do, or of what callers are told about one. From its commit on no token of
   * that `subject` is believed from memory; other servers of this database follow within a second.
   */
  change<T>(subject: string, work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** The same for a change that concerns any number of them. */
  changeAll<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
}

/** Makes the memory of callers. Roles, status and session are the store's, never the token's. */
export function createIdentities(
  store: Store,
  env: Environment,
  tokens: AccessTokens,
  foreign: ForeignChanges,
): Identities {
  const memory = createMemory(CAPACITY)

  const read = async (token: string, proof: Proof): Promise<Caller> => {
    const { generation } = memory
    const { seen } = foreign
    const known = await readCaller(store, env, proof)
    // What was forgotten meanwhile must not come back; this request began before the change, the next one will see it.
    if (memory.generation === generation) memory.set(token, { ...known, proof, seen })
    return known.caller
  }

  const changing = async <T>(
    work: (transaction: Transaction) => Promise<T>,
    forget: () => void,
  ): Promise<T> => {
    try {
      const [result, version] = await store.transaction(async (transaction) => {
        const done = await work(transaction)
        return [done, await countChange(transaction)] as const
      })
      foreign.own(version)
      return result
    } finally {
      // Also after a failure: a commit whose answer was lost may have happened.
      forget()
    }
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
        return read(token, await prove(tokens, token))
      }
      if (known.seen === foreign.seen) return known.caller
      memory.delete(token)
      return read(token, known.proof)
    },
    change: (subject, work) => changing(work, () => memory.forget(subject)),
    changeAll: (work) => changing(work, memory.forgetAll),
  }
}
