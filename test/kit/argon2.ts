import { deepStrictEqual } from 'node:assert/strict'
import { createRequire } from 'node:module'
import { afterAll, beforeAll } from 'vitest'

interface Options {
  readonly memoryCost: number
  readonly timeCost: number
  readonly parallelism: number
  readonly salt: Uint8Array
}

interface Argon2 {
  hash(password: string, options: Options): Promise<string>
  verify(stored: string, password: string): Promise<boolean>
}

const plugin = new URL('../../plugins/auth/src/argon2.ts', import.meta.url)
const real: Argon2 = createRequire(plugin)('@node-rs/argon2')

/** OWASP's advice, which everybody has to ask for. */
const ASKED = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
/** The least that argon2 can do. */
const GIVEN = { memoryCost: 8, timeCost: 1, parallelism: 1 }

/** By how much hashes cost less than is asked for; undefined where they cost the least. */
let divisor: number | undefined

/**
 * Stands in the place of the library in the test run: a server makes three hashes before its first test, which cost as
 * much of the processor as the rest of its start. Throws where less is asked for than is advised.
 */
export async function hash(password: string, { salt, ...cost }: Options): Promise<string> {
  deepStrictEqual(cost, ASKED)
  const given = divisor === undefined ? GIVEN : { ...cost, memoryCost: Math.ceil(cost.memoryCost / divisor) }
  return real.hash(password, { ...given, salt })
}

/** What was stored says itself what it cost. */
export const verify: Argon2['verify'] = (stored, password) => real.verify(stored, password)

/**
 * Has hashes cost what they do outside of tests, or that divided by a number, in the surrounding `describe`; to be said before
 * its server.
 */
export function useFullHashes(dividedBy = 1): void {
  beforeAll(() => void (divisor = dividedBy))
  afterAll(() => void (divisor = undefined))
}
