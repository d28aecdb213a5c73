import type { Environment } from '@svc/kernel'
import type { Store } from '@svc/store/contract'
import { LRUCache } from 'lru-cache'
import { noteUse } from './api-keys.ts'
import type { Background } from './background.ts'
import { timestamp } from './rows.ts'

/** How often the use of one key is written, in milliseconds. */
const PERIOD_MS = 60_000
/** Some 1 MB; forgetting costs a write too many. */
const MAX_KEYS = 10_000

/** Keeps the moment at which each key was last used, to the minute. */
export interface KeyUse {
  /** Takes note that a key is used now; the request does not wait for it. */
  note(keyId: string): void
}

/** Makes the book of uses. */
export function createKeyUse(store: Store, env: Environment, background: Background): KeyUse {
  const notedAt = new LRUCache<string, number>({ maxSize: MAX_KEYS, sizeCalculation: () => 1 })
  return {
    note(keyId) {
      const now = env.now()
      const last = notedAt.get(keyId)
      if (last !== undefined && Math.abs(now - last) < PERIOD_MS) return
      notedAt.set(keyId, now)
      const write = () => store.transaction((transaction) => noteUse(transaction, keyId, timestamp(now)))
      if (!background.start('auth.key_use_failed', keyId, write)) notedAt.delete(keyId)
    },
  }
}
