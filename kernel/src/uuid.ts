import type { Environment } from './environment.ts'

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
/** Random bytes are drawn for many ids at once: one draw costs far more than its bytes. */
const POOL_BYTES = 4096
const BYTES_PER_ID = 10
const COUNTER_LIMIT = 0x1000

/**
 * Makes a source of UUIDv7 texts (RFC 9562, section 5.7). The ids of one source ascend as text, also within a
 * millisecond and when the clock steps back: a 12-bit counter follows the time, and the last 62 bits are random.
 */
export function createUuidV7(env: Environment): () => string {
  let pool = new Uint8Array()
  let at = 0
  let time = -1
  let counter = 0
  let prefix = ''

  const startTick = (next: number) => {
    time = next
    // The top bit of the counter starts empty, so that at least 2,048 ids fit into the millisecond.
    counter = ((pool[at]! << 8) | pool[at + 1]!) & 0x7ff
    const digits = next.toString(16).padStart(12, '0')
    prefix = `${digits.slice(0, 8)}-${digits.slice(8)}-7`
  }

  return () => {
    if (at + BYTES_PER_ID > pool.length) {
      pool = Uint8Array.from(env.randomBytes(POOL_BYTES))
      at = 0
    }
    const now = Math.trunc(env.now())
    if (now > time) startTick(now)
    else if (++counter === COUNTER_LIMIT) startTick(time + 1)
    const text = prefix + HEX[counter >> 8]![1] + HEX[counter & 0xff]! + '-' + randomDigits(pool, at + 2)
    at += BYTES_PER_ID
    return text
  }
}

/** The variant bits and 62 random bits, as the last two groups of the text. */
function randomDigits(bytes: Uint8Array, at: number): string {
  return (
    HEX[(bytes[at]! & 0x3f) | 0x80]! +
    HEX[bytes[at + 1]!]! +
    '-' +
    HEX[bytes[at + 2]!]! +
    HEX[bytes[at + 3]!]! +
    HEX[bytes[at + 4]!]! +
    HEX[bytes[at + 5]!]! +
    HEX[bytes[at + 6]!]! +
    HEX[bytes[at + 7]!]!
  )
}
