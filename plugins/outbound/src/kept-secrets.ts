import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/** What has to be kept of secrets, such as those that sign: sealed at rest, each for its own place. */
export interface KeptSecrets {
  /** Seals a text by the present key. `place` says where it is kept: it opens nowhere else. */
  seal(text: string, place: string): string
  /** Opens what was sealed by this key or a previous one; undefined where none fits, or the text is none of ours. */
  open(sealed: string, place: string): string | undefined
}

/** The keys that seal and open, 32 bytes each. */
export interface SecretKeys {
  readonly key: Uint8Array
  readonly previous?: readonly Uint8Array[]
}

const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32
const VERSION = 'k1'

/** Seals by AES-256-GCM: `k1.<which key>.<nonce, text and tag in base64url>`. Throws on a key of another size. */
export function createKeptSecrets({ key, previous = [] }: SecretKeys): KeptSecrets {
  const keys = [key, ...previous].map((one) => ({ name: nameOf(one), key: one }))
  const [present] = keys
  return {
    seal(text, place) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', present!.key, nonce).setAAD(Buffer.from(place))
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${VERSION}.${present!.name}.${sealed.toString('base64url')}`
    },
    open(sealed, place) {
      const [version, name, text = ''] = sealed.split('.')
      const found = keys.find((one) => one.name === name)
      const bytes = Buffer.from(text, 'base64url')
      if (version !== VERSION || found === undefined || bytes.length < NONCE_BYTES + TAG_BYTES)
        return undefined
      try {
        const opener = createDecipheriv('aes-256-gcm', found.key, bytes.subarray(0, NONCE_BYTES))
          .setAAD(Buffer.from(place))
          .setAuthTag(bytes.subarray(-TAG_BYTES))
        const opened = opener.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
        return Buffer.concat([opened, opener.final()]).toString('utf8')
      } catch {
        return undefined
      }
    },
  }
}

/** By which key a text was sealed, without telling anything of the key. */
function nameOf(key: Uint8Array): string {
  if (key.length !== KEY_BYTES)
    throw new Error(`a key that seals secrets has ${KEY_BYTES} bytes, not ${key.length}`)
  return createHash('sha256').update('name of a key').update(key).digest('base64url').slice(0, 8)
}
