import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const NONCE = 12
const TAG = 16

/** Random bytes are fetched for many nonces at once. */
const pool = Buffer.alloc(NONCE * 512)
let taken = pool.length

function nonce(): Buffer {
  if (taken === pool.length) {
    randomFillSync(pool)
    taken = 0
  }
  taken += NONCE
  return Buffer.from(pool.subarray(taken - NONCE, taken))
}

/** Encrypts with AES-256-GCM (NIST SP 800-38D) under a fresh nonce: nonce, tag and ciphertext, in base64. */
export function encrypt(plain: string | Buffer, key: KeyObject, bound: string): string {
  const iv = nonce()
  const cipher = createCipheriv(CIPHER, key, iv)
  cipher.setAAD(Buffer.from(bound))
  const text = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain)
  const rest = cipher.final()
  return Buffer.concat([iv, cipher.getAuthTag(), text, rest]).toString('base64')
}

/** What `encrypt` was given. Throws where it was encrypted under another key, bound to something else, or changed since. */
export function decrypt(kept: string, key: KeyObject, bound: string): Buffer {
  const bytes = Buffer.from(kept, 'base64')
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE), { authTagLength: TAG })
  decipher.setAAD(Buffer.from(bound))
  decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG))
  return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()])
}
