import { LRUCache } from 'lru-cache'
import type { KnownCaller, Proof } from './callers.ts'

/** A caller whose token was checked. */
export interface Remembered extends KnownCaller {
  readonly token: string
  /** Good for as long as the token is, so that the signature is checked once. */
  readonly proof: Proof
  /** Which changes of other servers were known when the caller was read from the store. */
  readonly seen: number
}

/** The checked tokens, so that a hot one costs one look-up. */
export interface Memory {
  get(token: string): Remembered | undefined
  set(remembered: Remembered): void
  delete(token: string): void
  /** Forgets every token of a user or key, and what is on its way into the memory now. */
  forget(subject: string): void
  /** Forgets everybody's. */
  forgetAll(): void
  /** Grows with every forgetting: what was read before it must not be remembered after it. */
  readonly generation: number
}

/** Makes a memory of at most `capacity` tokens; the one that nobody showed for longest goes first. */
export function createMemory(capacity: number): Memory {
  const bySubject = new Map<string, Set<string>>()
  let generation = 0

  const byEnd = new LRUCache<string, Remembered>({
    maxSize: capacity,
    sizeCalculation: () => 1,
    dispose({ subject, token }) {
      const tokens = bySubject.get(subject)
      tokens?.delete(token)
      if (tokens?.size === 0) bySubject.delete(subject)
    },
  })

  return {
    get generation() {
      return generation
    },
    get(token) {
      const known = byEnd.get(endOf(token))
      return known?.token === token ? known : undefined
    },
    set(remembered) {
      const { token, subject } = remembered
      byEnd.set(endOf(token), remembered)
      bySubject.set(subject, (bySubject.get(subject) ?? new Set()).add(token))
    },
    delete: (token) => void byEnd.delete(endOf(token)),
    forget(subject) {
      generation++
      for (const token of bySubject.get(subject) ?? []) byEnd.delete(endOf(token))
    },
    forgetAll() {
      generation++
      byEnd.clear()
    },
  }
}

/** The end of a token is random; to look one up by the whole of it means to read all of it first. */
const endOf = (token: string): string => token.slice(-32)
