import { createSecretKey, randomBytes } from 'node:crypto'
import type { Condition, Reader, Row, Store } from '@svc/store/contract'
import { decrypt, encrypt } from './cipher.ts'
import type { DataKey, Ring } from './ring.ts'
import { KEY, KEYS, type Purpose } from './table.ts'
import type { WrappingKey, WrappingKeys } from './wrapping-keys.ts'

/** A key that wraps others is not among those that are configured. */
export class KeyMissing extends Error {
  constructor(id: string) {
    super(`the key '${id}' is missing, under which keys of this service are kept`)
  }
}

/** A configured key does not unwrap what its id says. */
export class KeyWrong extends Error {
  constructor(id: string) {
    super(`the key '${id}' is another than the one of this id under which keys of this service are kept`)
  }
}

/** Where keys of domains are kept, wrapped. */
export interface KeptKeys {
  readonly store: Store
  readonly now: () => number
}

/** A key as it is kept. */
export interface KeptKey {
  readonly domain: string
  readonly purpose: Purpose
  readonly number: number
  readonly wrapped: string
  readonly wrappedBy: string
  readonly createdAt: string
  readonly activeFrom: string
}

/** The keys that are kept of a domain, or of all. */
export async function keptKeys(reader: Reader, domain?: string): Promise<readonly KeptKey[]> {
  const where: Condition =
    domain === undefined ? { op: 'always' } : { op: 'eq', column: KEY.domain, value: domain }
  const order = KEYS.primaryKey.map((column) => ({ column, descending: false }))
  const rows = await reader.select({ table: KEYS, columns: KEYS.columns, where, order })
  return rows.map((row) => row as Row & KeptKey)
}

/**
 * Unwraps the keys of a domain; those that it needs and that nobody has made are made, and what is wrapped by another than
 * the first key is wrapped anew. Throws KeyMissing and KeyWrong.
 */
export async function openRing(domain: string, wrapping: WrappingKeys, kept: KeptKeys): Promise<Ring> {
  let found = await keptKeys(kept.store, domain)
  const isWhole = found.some(isData) && found.some(isBlind)
  if (!isWhole) {
    await addKey({ domain, purpose: 'data', number: 1 }, wrapping.first, kept)
    await addKey({ domain, purpose: 'blind', number: 1 }, wrapping.first, kept)
    found = await keptKeys(kept.store, domain)
  }
  const keys = found.map((one) => ({ one, key: unwrap(one, wrapping) }))
  for (const { one, key } of keys)
    if (one.wrappedBy !== wrapping.first.id) await wrapAnew(one, key, wrapping.first, kept)
  return {
    data: keys.filter(({ one }) => isData(one)).map(({ one, key }) => dataKeyOf(one, key)),
    blind: createSecretKey(keys.find(({ one }) => isBlind(one))!.key),
  }
}

/** Makes a key, unless there is one of its number. It is used after `graceMs`. */
export async function addKey(
  { domain, purpose, number }: Pick<KeptKey, 'domain' | 'purpose' | 'number'>,
  under: WrappingKey,
  { store, now }: KeptKeys,
  graceMs = 0,
): Promise<boolean> {
  const values = {
    domain,
    purpose,
    number,
    wrapped: encrypt(randomBytes(32), under.key, boundTo({ domain, purpose, number })),
    wrappedBy: under.id,
    createdAt: new Date(now()).toISOString(),
    activeFrom: new Date(now() + graceMs).toISOString(),
  }
  return store.transaction(async (transaction) => {
    return (await transaction.insert({ table: KEYS, values, onConflict: 'ignore' })) > 0
  })
}

const isData = ({ purpose }: KeptKey): boolean => purpose === 'data'
const isBlind = ({ purpose }: KeptKey): boolean => purpose === 'blind'

const dataKeyOf = ({ number, createdAt, activeFrom }: KeptKey, key: Buffer): DataKey => ({
  number,
  key: createSecretKey(key),
  createdAt: Date.parse(createdAt),
  activeFrom: Date.parse(activeFrom),
})

function unwrap(one: KeptKey, wrapping: WrappingKeys): Buffer {
  const under = wrapping.find(one.wrappedBy)
  if (under === undefined) throw new KeyMissing(one.wrappedBy)
  try {
    return decrypt(one.wrapped, under.key, boundTo(one))
  } catch {
    throw new KeyWrong(under.id)
  }
}

/** Of two servers that do so at once the second finds nothing to do. */
async function wrapAnew(one: KeptKey, key: Buffer, under: WrappingKey, { store }: KeptKeys): Promise<void> {
  const of: readonly Condition[] = [
    { op: 'eq', column: KEY.domain, value: one.domain },
    { op: 'eq', column: KEY.purpose, value: one.purpose },
    { op: 'eq', column: KEY.number, value: one.number },
    { op: 'eq', column: KEY.wrapped, value: one.wrapped },
  ]
  const set = { wrapped: encrypt(key, under.key, boundTo(one)), wrappedBy: under.id }
  await store.transaction((transaction) => transaction.update({ table: KEYS, set, where: { op: 'and', of } }))
}

const boundTo = ({ domain, purpose, number }: Pick<KeptKey, 'domain' | 'purpose' | 'number'>): string =>
  JSON.stringify([domain, purpose, number])
