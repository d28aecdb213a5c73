import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * A mark of what a definition means with its variables replaced, which tells nothing of their values: `salt:HMAC`,
 * both in hex. Undefined stands for a definition that reads no variables, and null for its mark.
 */
export function sealed(meaning: string | undefined): string | null {
  if (meaning === undefined) return null
  const salt = randomBytes(16).toString('hex')
  return `${salt}:${markOf(meaning, salt)}`
}

/** Whether a definition means what it meant when `seal` was made. */
export function isMeant(meaning: string | undefined, seal: string | null): boolean {
  if (meaning === undefined || seal === null) return meaning === undefined && seal === null
  const [salt = '', mark = ''] = seal.split(':')
  const [known, found] = [Buffer.from(mark), Buffer.from(markOf(meaning, salt))]
  return known.length === found.length && timingSafeEqual(known, found)
}

const markOf = (meaning: string, salt: string): string =>
  createHmac('sha256', salt).update(meaning).digest('hex')
