import { v7 } from 'uuid'
import type { Environment } from './environment.ts'

/** Random bytes are drawn for many ids at once: one draw costs far more than its bytes. */
const POOL_BYTES = 4096
const BYTES_PER_ID = 16
const SEQUENCE_LIMIT = 2 ** 32

/**
 * Makes a source of UUIDv7 texts (RFC 9562, section 5.7). The ids of one source ascend as text, also within a
 * millisecond and when the clock steps back: a 32-bit sequence follows the time, and the last 42 bits are random.
 */
export function createUuidV7(env: Environment): () => string {
  let pool = new Uint8Array()
  let at = 0
  let msecs = -1
  let seq = 0

  const draw = (): Uint8Array => {
    if (at + BYTES_PER_ID > pool.length) {
      pool = Uint8Array.from(env.randomBytes(POOL_BYTES))
      at = 0
    }
    at += BYTES_PER_ID
    return pool.subarray(at - BYTES_PER_ID, at)
  }

  return () => {
    const random = draw()
    const now = Math.trunc(env.now())
    if (now > msecs) {
      msecs = now
      seq = firstOfSequence(random)
    } else if (++seq === SEQUENCE_LIMIT) {
      msecs += 1
      seq = 0
    }
    return v7({ msecs, seq, random })
  }
}

/** The top bit stays empty, so that a millisecond never runs out of numbers. */
function firstOfSequence(random: Uint8Array): number {
  return ((random[6]! & 0x7f) << 24) | (random[7]! << 16) | (random[8]! << 8) | random[9]!
}
