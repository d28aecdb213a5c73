import { hash, verify } from '@node-rs/argon2'

/** argon2id with 19 MiB, two passes and one lane: OWASP's advice. Algorithm and version are the library's defaults. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** What may be stored of a password (PHC string format). This module is loaded with the first one. */
export const argon2 = (password: string, salt: Uint8Array): Promise<string> =>
  hash(password, { ...COST, salt })

/** Whether a password fits what is stored. */
export const isArgon2Of = (stored: string, password: string): Promise<boolean> => verify(stored, password)
