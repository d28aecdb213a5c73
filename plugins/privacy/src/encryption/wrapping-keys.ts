import { createHash, createSecretKey, type KeyObject } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'

/** A key of the operator's, by which data keys are kept. */
export interface WrappingKey {
  readonly id: string
  readonly key: KeyObject
}

/** Keys of the operator's: the first wraps, all unwrap. */
export interface WrappingKeys {
  readonly first: WrappingKey
  find(id: string): WrappingKey | undefined
}

/** No file of keys is larger, in bytes. */
const MOST_BYTES = 65_536

const KEY = /^(?:([\w.-]{1,32}):)?([A-Za-z0-9+/]{43}=)$/

/**
 * Reads keys of 32 bytes in base64, `<id>:` before them or not, parted by commas or white space; a text says what is wrong,
 * going on from what holds them, and has no character of them.
 */
export function readWrappingKeys(text: string): WrappingKeys | string {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '')
  const keys = new Map<string, WrappingKey>()
  for (const [at, part] of parts.entries()) {
    const [, named, encoded = ''] = KEY.exec(part) ?? []
    const bytes = Buffer.from(encoded, 'base64')
    if (bytes.length !== 32 || bytes.toString('base64') !== encoded)
      return `has no key of 32 bytes in base64 as its ${ordinal(at)} part`
    const id = named ?? fingerprint(bytes)
    if (keys.has(id)) return `has two keys of one id: that of its ${ordinal(at)} part stands there already`
    keys.set(id, { id, key: createSecretKey(bytes) })
  }
  const [first] = keys.values()
  return first === undefined ? 'holds no key' : { first, find: (id) => keys.get(id) }
}

/** Reads the text of a file of keys; undefined where there is none of a size that keys have. */
export function readKeyFile(path: string): string | undefined {
  try {
    const found = statSync(path)
    return found.isFile() && found.size <= MOST_BYTES ? readFileSync(path, 'utf8') : undefined
  } catch {
    return undefined
  }
}

/** The id of a key that has none: eight hex digits of its hash, by which 32 random bytes are not found. */
export const fingerprint = (key: Buffer): string => createHash('sha256').update(key).digest('hex').slice(0, 8)

const ordinal = (at: number): string => ['first', 'second', 'third'][at] ?? `${at + 1}th`
