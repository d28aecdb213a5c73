import { availableParallelism } from 'node:os'
import type { Environment } from '@svc/kernel'
import type { FailureLimit } from '@svc/ratelimit/contract'
import { assertFree } from './assert-free.ts'
import { createGate } from './gate.ts'
import { createHashCost } from './hash-cost.ts'
import { assertNotEmpty, assertStrong } from './password-policy.ts'
import { createSecrets, type HashSecrets } from './secrets.ts'

const SALT_BYTES = 16
/** Hashing runs on the thread pool, which files and name look-ups need too: never all four of its threads. */
const AT_ONCE = Math.min(3, Math.max(2, availableParallelism()))
/** A hash takes some 20 ms, so that the last in line waits for a few seconds. */
const IN_LINE = 256

/** Who tries a password. */
export interface Attempt {
  /** Under this key failures are counted. */
  readonly key: string
  /** Clients take turns. */
  readonly client: string
}

/** Hashes and checks passwords, off the event loop and a few at a time. */
export interface Passwords {
  /** The hash of a new password. Throws WEAK_PASSWORD, naming `field`. */
  hash(password: string, field: string, client: string): Promise<string>
  /** The hashes of any other secrets, whatever their strength: sign-ins go before them. */
  readonly hashSecrets: HashSecrets
  /**
   * Whether a password fits its hash; where there is no hash it takes as long and is false. Too many failures of an
   * attempt throw RATE_LIMITED.
   */
  matches(stored: string | undefined, password: string, attempt: Attempt): Promise<boolean>
}

export interface PasswordOptions {
  readonly env: Environment
  readonly limit: FailureLimit | undefined
  readonly checkStrength: boolean
}

/** Makes the one place where passwords are hashed. */
export function createPasswords({ env, limit, checkStrength }: PasswordOptions): Passwords {
  const gate = createGate(AT_ONCE, IN_LINE)
  const assertGood = checkStrength ? assertStrong : assertNotEmpty
  const cost = createHashCost()

  const hashed = async (password: string): Promise<string> => {
    const { argon2 } = await import('./argon2.ts')
    const startedAt = performance.now()
    const done = await argon2(password, env.randomBytes(SALT_BYTES))
    cost.note(performance.now() - startedAt)
    return done
  }
  let made: Promise<string> | undefined
  const nobody = () => (made ??= hashed(Buffer.from(env.randomBytes(SALT_BYTES)).toString('hex')))

  return {
    hashSecrets: createSecrets({ gate, cost, hash: hashed }),
    async hash(password, field, client) {
      assertGood(password, field)
      return gate.front(client, () => hashed(password))
    },
    matches: (stored, password, { key, client }) =>
      gate.front(client, async () => {
        assertFree(limit, key, 'Too many failed tries')
        // Counted before the check, so that tries side by side are counted too; the gate bounds how many there are.
        limit?.failed(key)
        const { isArgon2Of } = await import('./argon2.ts')
        // Made whether it is needed or not, so that no answer tells by its time that there is no such account.
        const stand = await nobody()
        const fits = await isArgon2Of(stored ?? stand, password)
        if (!fits || stored === undefined) return false
        limit?.cleared(key)
        return true
      }),
  }
}
