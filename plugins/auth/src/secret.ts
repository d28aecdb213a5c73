import { createHash } from 'node:crypto'
import type { Environment } from '@svc/kernel'

const SECRET_BYTES = 32

/** A text of 256 random bits that nobody can guess, for refresh tokens and mails. */
export const newSecret = (env: Environment): string =>
  Buffer.from(env.randomBytes(SECRET_BYTES)).toString('base64url')

/** What is stored of a secret: its SHA-256. The secret has full entropy, so a slow hash would add nothing. */
export const digest = (secret: string): string => createHash('sha256').update(secret).digest('hex')
