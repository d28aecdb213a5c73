import { createHash } from 'node:crypto'
import type { FailureLimit } from './contract.ts'
import type { Clock } from './steady-clock.ts'
import { createWindowLimit } from './window-limit.ts'

const WINDOW_MS = 900_000
const MAX_KEYS = 50_000
/** A longer key is kept as its digest, so that a key costs the same whatever a stranger types. */
const MAX_KEY_LENGTH = 128

/** Blocks a key that failed `max` times in 900 seconds, until the oldest of them are that old. */
export function createFailureLimit(max: number, clock: Clock): FailureLimit {
  const limit = createWindowLimit({ max, windowMs: WINDOW_MS, maxKeys: MAX_KEYS, clock })
  return {
    blocked(key) {
      const { isFree, waitMs } = limit.look(shortened(key))
      return isFree ? 0 : Math.max(1, Math.ceil(waitMs / 1000))
    },
    failed: (key) => limit.add(shortened(key)),
    cleared: (key) => limit.forget(shortened(key)),
  }
}

/** Blocks nothing. */
export const unlimitedFailures: FailureLimit = {
  blocked: () => 0,
  failed: () => undefined,
  cleared: () => undefined,
}

function shortened(key: string): string {
  return key.length <= MAX_KEY_LENGTH ? key : createHash('sha256').update(key).digest('base64')
}
