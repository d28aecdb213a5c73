import { AppError, type Caller, CallerChanged, type Environment } from '@svc/kernel'
import type { Definition, Opening, Reader, Row, Store, Transaction } from '@svc/store/contract'
import { type Proof, prove, readCaller } from './callers.ts'
import { countChange, type ForeignChanges, READ_VERSION } from './changes.ts'
import type { Credentials, WriteOptions } from './contract.ts'
import { tokenExpired } from './errors.ts'
import { createMemory, type Remembered } from './remembered.ts'
import type { AccessTokens } from './token.ts'

/** The lock that the writes of an account share. */
export const writesOf = (id: string): string => `writes of ${id}`

/** Some 10 MB of tokens and callers. */
const CAPACITY = 10_000

/** Who stands behind an access token or an API key now. */
export interface Identities {
  /** The caller of a token that is hot; undefined where it must be looked up. */
  recall(token: string): Caller | undefined
  /** The caller of a token. Throws TOKEN_EXPIRED, TOKEN_INVALID or USER_SUSPENDED. */
  identify(token: string): Promise<Caller>
  /**
   * Runs a transaction for a caller, who is asked for inside it: whatever was taken from them before it began, by
   * whichever server, counts. Throws CallerChanged, and then nothing is written.
   */
  transaction<T>(
    caller: Caller,
    work: (transaction: Transaction) => Promise<T>,
    options?: WriteOptions,
  ): Promise<T>
  /** How often it was noticed that another server has changed something. */
  readonly foreignChanges: number
  /** What a caller's token proved, as JSON; undefined of callers without. */
  credentialsOf(caller: Caller): Credentials | undefined
  /** Who stands behind that now. Throws TOKEN_EXPIRED, TOKEN_INVALID or USER_SUSPENDED. */
  stand(credentials: Credentials): Promise<Caller>
  /** The same for a change of the schema, which counts as a change of rights does. */
  define<T>(caller: Caller, work: (definition: Definition) => Promise<T>): Promise<T>
  /**
   * Runs, for a caller, a change of what a user or key may do, or of what callers are told about one. From its commit on
   * no token of that `subject` is believed from memory; other servers of this database follow within 100 ms.
   */
  change<T>(caller: Caller, subject: string, work: (transaction: Transaction) => Promise<T>): Promise<T>
  /**
   * The same inside a transaction that is somebody else's: answers what has to be called once that is durable, from when on no
   * token of that `subject` is believed from memory.
   */
  changeInside(subject: string, transaction: Transaction): Promise<() => void>
  /** The same for a change that concerns any number of them. */
  changeAll<T>(caller: Caller, work: (transaction: Transaction) => Promise<T>): Promise<T>
}

/** Makes the memory of callers. Roles, status and session are the store's, never the token's. */
export function createIdentities(
  store: Store,
  env: Environment,
  tokens: AccessTokens,
  foreign: ForeignChanges,
): Identities {
  const memory = createMemory(CAPACITY)
  /** Every caller whom a token made, for as long as anybody works for them. */
  const known = new WeakMap<Caller, Remembered>()

  const read = async (token: string, proof: Proof): Promise<Caller> => {
    const { generation } = memory
    const { seen } = foreign
    const remembered = { ...(await readCaller(store, env, proof)), token, proof, seen }
    known.set(remembered.caller, remembered)
    // What was forgotten meanwhile must not come back; this request began before the change, the next one will see it.
    if (memory.generation === generation) memory.set(remembered)
    return remembered.caller
  }

  /** Whether nothing is known to have changed since the caller was read. */
  const isCurrent = (remembered: Remembered): boolean =>
    memory.get(remembered.token) === remembered && remembered.seen === foreign.seen

  /** Asks the store where anything has changed since the caller was read. */
  const confirm = async (remembered: Remembered, reader: Reader): Promise<void> => {
    const { caller, subject, proof } = remembered
    const present = await readCaller(reader, env, proof).catch(refusedAsNobody)
    if (present !== undefined && isSame(present.caller, caller)) return
    memory.forget(subject)
    throw new CallerChanged()
  }

  const openingFor = (remembered: Remembered | undefined, further?: WriteOptions['confirm']): Opening => {
    const isBelieved = () => remembered === undefined || isCurrent(remembered)
    const settle = async (isKnown: boolean, reader: Reader): Promise<void> => {
      if (remembered !== undefined) await confirm(remembered, reader)
      if (!isKnown) await further?.(reader)
    }
    const id = remembered?.caller.id ?? null
    return {
      plan: READ_VERSION,
      judge(rows: readonly Row[], reader: Reader) {
        const isKnown = foreign.isKnown(rows)
        return isKnown && isBelieved() ? undefined : settle(isKnown, reader)
      },
      ...(isBelieved() && { unless: foreign.unchanged }),
      ...(id !== null && { sharedLock: writesOf(id) }),
    }
  }

  const transaction: Identities['transaction'] = (caller, work, { confirm: further, ...options } = {}) => {
    const remembered = known.get(caller)
    if (remembered === undefined && further === undefined) return store.transaction(work, options)
    return store.transaction(work, { ...options, opening: openingFor(remembered, further) })
  }

  const changing = async <T>(
    caller: Caller,
    work: (transaction: Transaction) => Promise<T>,
    forget: () => void,
  ): Promise<T> => {
    try {
      const [result, version] = await transaction(caller, async (begun) => {
        const done = await work(begun)
        return [done, await countChange(begun)] as const
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
      const remembered = memory.get(token)
      if (remembered === undefined || foreign.isDue() || remembered.seen !== foreign.seen) return undefined
      return remembered.expiresAt > env.now() ? remembered.caller : undefined
    },
    async identify(token) {
      if (foreign.isDue()) await foreign.look()
      const remembered = memory.get(token)
      if (remembered === undefined || remembered.expiresAt <= env.now()) {
        memory.delete(token)
        return read(token, await prove(tokens, token))
      }
      if (remembered.seen === foreign.seen) return remembered.caller
      memory.delete(token)
      return read(token, remembered.proof)
    },
    transaction,
    credentialsOf(caller) {
      const proof = known.get(caller)?.proof
      return proof && (JSON.parse(JSON.stringify(proof)) as Credentials)
    },
    async stand(credentials) {
      const proof = credentials as unknown as Proof
      if ('expiresAt' in proof && proof.expiresAt <= env.now()) throw tokenExpired()
      if (foreign.isDue()) await foreign.look()
      // No header holds a line feed: nobody can show it as a token.
      const token = `\n${JSON.stringify(credentials)}`
      const remembered = memory.get(token)
      if (remembered && remembered.seen === foreign.seen && remembered.expiresAt > env.now())
        return remembered.caller
      memory.delete(token)
      return read(token, proof)
    },
    get foreignChanges() {
      return foreign.seen
    },
    async define(caller, work) {
      const remembered = known.get(caller)
      const [result, version] = await store.define(
        // Last: whoever else changes something waits for the count.
        async (definition) => [await work(definition), await countChange(definition)] as const,
        remembered && { opening: openingFor(remembered) },
      )
      foreign.own(version)
      return result
    },
    async changeInside(subject, begun) {
      const version = await countChange(begun)
      return () => {
        foreign.own(version)
        memory.forget(subject)
      }
    },
    change: (caller, subject, work) => changing(caller, work, () => memory.forget(subject)),
    changeAll: (caller, work) => changing(caller, work, memory.forgetAll),
  }
}

/** Somebody whose token is no good any more is nobody; a fault of the store stays one. */
function refusedAsNobody(error: unknown): undefined {
  if (!(error instanceof AppError) || error.status >= 500) throw error
}

/** Whether handlers would be told the same of both. */
const isSame = (one: Caller, other: Caller): boolean =>
  one.username === other.username && one.email === other.email && one.roles.join() === other.roles.join()
