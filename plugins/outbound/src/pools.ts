import { createHash } from 'node:crypto'
import type { Dispatcher } from 'undici'
import { type ConnectionParts, type ConnectionTerms, createConnections } from './connections.ts'

/** How many pools of connections with terms of their own are kept. */
const MOST_POOLS = 100

/** Pools of connections, by the terms on which these are made: no two terms share a connection. */
export interface Pools {
  of(terms: ConnectionTerms): Dispatcher
  /** Ends every connection. */
  destroy(): Promise<void>
}

/** Makes them as they are asked for; those that were not asked for longest make room for others. */
export function createPools(parts: ConnectionParts): Pools {
  const pools = new Map<string, Dispatcher>()
  return {
    of(terms) {
      const key = keyOf(terms)
      const pool = pools.get(key) ?? createConnections(parts, terms)
      pools.delete(key)
      pools.set(key, pool)
      const [[eldest, old] = []] = pools
      if (pools.size > MOST_POOLS && eldest !== undefined && old !== undefined) {
        pools.delete(eldest)
        // What is under way in it goes on to its end.
        old.close().catch(() => undefined)
      }
      return pool
    },
    async destroy() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
    },
  }
}

function keyOf({ isConfidential, tls, only }: ConnectionTerms): string {
  if (tls === undefined && only === undefined) return String(isConfidential)
  return createHash('sha256')
    .update(JSON.stringify([isConfidential, tls?.ca, tls?.cert, tls?.key, tls?.passphrase, only]))
    .digest('base64')
}
