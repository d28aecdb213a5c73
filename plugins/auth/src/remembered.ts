import type { Caller } from '@svc/kernel'

/** A caller whose token was checked. */
export interface Remembered {
  readonly caller: Caller
  readonly userId: string
  readonly sessionId: string
  readonly claims: Readonly<Record<string, unknown>>
  /** In milliseconds since 1970. */
  readonly expiresAt: number
  /** Which changes of other servers were known when the caller was read from the store. */
  readonly seen: number
}

/** The checked tokens, so that a hot one costs one look-up. */
export interface Memory {
  get(token: string): Remembered | undefined
  set(token: string, remembered: Remembered): void
  delete(token: string): void
  /** Forgets every token of a user, and what is on its way into the memory now. */
  forget(userId: string): void
  /** Grows with every `forget`: what was read before it must not be remembered after it. */
  readonly generation: number
}

/** Makes a memory of at most `capacity` tokens; the one that came first goes first. */
export function createMemory(capacity: number): Memory {
  const byToken = new Map<string, Remembered>()
  const byUser = new Map<string, Set<string>>()
  let generation = 0

  const drop = (token: string): void => {
    const remembered = byToken.get(token)
    if (remembered === undefined) return
    byToken.delete(token)
    const tokens = byUser.get(remembered.userId)
    tokens?.delete(token)
    if (tokens?.size === 0) byUser.delete(remembered.userId)
  }

  return {
    get generation() {
      return generation
    },
    get: (token) => byToken.get(token),
    set(token, remembered) {
      drop(token)
      const [oldest] = byToken.size >= capacity ? byToken.keys() : []
      if (oldest !== undefined) drop(oldest)
      byToken.set(token, remembered)
      const tokens = byUser.get(remembered.userId) ?? new Set()
      byUser.set(remembered.userId, tokens.add(token))
    },
    delete: drop,
    forget(userId) {
      generation++
      for (const token of byUser.get(userId) ?? []) drop(token)
    },
  }
}
