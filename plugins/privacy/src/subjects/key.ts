import type { Environment } from '@svc/kernel'
import { type Codec, openValue, type Reader, sealValue, type Transaction } from '@svc/store/contract'
import { SECRET, type Tables } from '../tables.ts'

const NAME = 'subjects'
const BYTES = 32

/** The key by which the identifiers of a domain are hashed. */
export interface SubjectKey {
  /** Reads the key; undefined where there is none yet. */
  read(reader: Reader): Promise<Uint8Array | undefined>
  /** Reads the key, and makes it where there is none. */
  inside(transaction: Transaction): Promise<Uint8Array>
  /** Makes the key where there is none, and seals it where it lies in the clear and need not. */
  settle(transaction: Transaction): Promise<void>
}

/** How the key lies at rest. */
export interface AtRest {
  /** Undefined where the domain has no encryption: there it lies in the clear. */
  readonly seals: Codec | undefined
  /** Opens what a definition has sealed that had encryption: a change is taken back before the key is unsealed. */
  readonly opens: Codec
}

const IS_KEY = { op: 'eq', column: SECRET.name, value: NAME } as const

/** The key of a domain, kept in its table; what was read once is remembered. */
export function createSubjectKey(
  { secrets }: Tables,
  { randomBytes }: Pick<Environment, 'randomBytes'>,
  { seals, opens }: AtRest,
): SubjectKey {
  let known: Uint8Array | undefined
  const kept = async (reader: Reader) => {
    const columns = [SECRET.value]
    const [row] = await reader.select({ table: secrets, columns, where: IS_KEY, order: [], limit: 1 })
    return row?.[SECRET.value.name] ?? undefined
  }
  const read: SubjectKey['read'] = async (reader) => {
    if (known !== undefined) return known
    const value = await kept(reader)
    return value === undefined ? undefined : Buffer.from(String(openValue({ codec: opens }, value)), 'base64')
  }
  // What this transaction makes may be undone: it is remembered when it is read outside.
  const inside: SubjectKey['inside'] = async (transaction) => {
    const found = await read(transaction)
    if (found !== undefined) return found
    const made = Buffer.from(randomBytes(BYTES)).toString('base64')
    const values = { name: NAME, value: sealValue({ codec: seals }, made) }
    await transaction.insert({ table: secrets, values, onConflict: 'ignore' })
    return (await read(transaction))!
  }
  return {
    async read(reader) {
      return (known = (await read(reader)) ?? known)
    },
    inside,
    async settle(transaction) {
      await inside(transaction)
      const value = await kept(transaction)
      if (seals === undefined || typeof value !== 'string') return
      const set = { [SECRET.value.name]: sealValue({ codec: seals }, value) }
      await transaction.update({ table: secrets, set, where: IS_KEY })
    },
  }
}
