import type { Environment } from '@svc/kernel'
import type { Condition, Reader, Row, Transaction } from '@svc/store/contract'
import { keyOf } from './fields.ts'
import { PREFIX } from './key-identity.ts'
import { assertRolesExist } from './roles.ts'
import { all, any, eq, isNull, maybeTextIn, textIn, timestamp } from './rows.ts'
import { digest, newSecret } from './secret.ts'
import { apiKeyRoles, apiKeys } from './tables.ts'

/** A key of a machine, as it is stored, without its secret. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  /** The name of whoever made it. */
  readonly createdBy: string | null
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
}

/** What a key is made of. */
export interface NewApiKey {
  readonly id: string
  readonly name: string
  readonly roles: readonly string[]
  readonly createdBy: string | null
  readonly expiresAt: string | null
}

const { table, columns } = apiKeys
const SHOWN = table.columns.filter((column) => column !== columns.hash)

/** Stores a key and answers it; this is the one time that it is known. Throws StoreConflict where the name is taken. */
export async function insertKey(transaction: Transaction, env: Environment, key: NewApiKey): Promise<string> {
  const token = `${PREFIX}${newSecret(env)}`
  const values = {
    id: key.id,
    name: key.name,
    name_key: keyOf(key.name),
    hash: digest(token),
    created_at: timestamp(env.now()),
    created_by: key.createdBy,
    expires_at: key.expiresAt,
    last_used_at: null,
  }
  await assertRolesExist(transaction, key.roles)
  await transaction.insert({ table, values })
  for (const role of new Set(key.roles))
    await transaction.insert({ table: apiKeyRoles.table, values: { key_id: key.id, role } })
  return token
}

/** The first key that `where` holds for. */
export async function findKey(reader: Reader, where: Condition): Promise<ApiKey | undefined> {
  const [row] = await reader.select({ table, columns: SHOWN, where, order: [], limit: 1 })
  return row && apiKeyOf(row)
}

/** Keys in order of their creation. */
export async function listKeys(
  reader: Reader,
  page: { readonly limit: number; readonly offset: number },
): Promise<readonly ApiKey[]> {
  const order = [{ column: columns.id, descending: false }]
  const rows = await reader.select({ table, columns: SHOWN, where: { op: 'always' }, order, ...page })
  return rows.map(apiKeyOf)
}

/** The names of the roles of each of these keys, by name. */
export async function rolesOfKeys(
  reader: Reader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { key_id, role } = apiKeyRoles.columns
  const rows = await reader.select({
    table: apiKeyRoles.table,
    columns: [key_id, role],
    where: { op: 'in', column: key_id, values: ids },
    order: [{ column: role, descending: false }],
  })
  return new Map(
    ids.map((id) => [id, rows.filter((row) => textIn(row, key_id) === id).map((row) => textIn(row, role))]),
  )
}

/** Removes a key; false where there is none. */
export const removeKey = async (transaction: Transaction, id: string): Promise<boolean> =>
  (await transaction.remove({ table, where: byKeyId(id) })) === 1

/** Notes that a key was used. */
export async function noteUse(transaction: Transaction, id: string, at: string): Promise<void> {
  const isOlder: Condition = { op: 'lt', column: columns.last_used_at, value: at }
  const where = all(byKeyId(id), any(isNull(columns.last_used_at), isOlder))
  await transaction.update({ table, set: { last_used_at: at }, where })
}

export const byKeyId = (id: string): Condition => eq(columns.id, id)
export const byKeyHash = (hash: string): Condition => eq(columns.hash, hash)

const apiKeyOf = (row: Row): ApiKey => ({
  id: textIn(row, columns.id),
  name: textIn(row, columns.name),
  createdAt: textIn(row, columns.created_at),
  createdBy: maybeTextIn(row, columns.created_by),
  expiresAt: maybeTextIn(row, columns.expires_at),
  lastUsedAt: maybeTextIn(row, columns.last_used_at),
})
