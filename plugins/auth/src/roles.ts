import type { Condition, Reader, Transaction } from '@svc/store/contract'
import type { Role } from './contract.ts'
import { fieldFault } from './errors.ts'
import { eq, textIn, timestamp } from './rows.ts'
import { roles, userRoles, users } from './tables.ts'

/** The one role that is always there. */
export const ADMIN = 'admin'

/** Every role, by name. */
export async function listRoles(reader: Reader): Promise<readonly Role[]> {
  const { table, columns } = roles
  const order = [{ column: columns.name, descending: false }]
  const rows = await reader.select({ table, columns: table.columns, where: { op: 'always' }, order })
  return rows.map((row) => ({
    name: textIn(row, columns.name),
    description: textIn(row, columns.description),
  }))
}

/** Adds a role; false where its name is taken. */
export async function insertRole(transaction: Transaction, role: Role, createdAt: string): Promise<boolean> {
  const values = { ...role, created_at: createdAt }
  return (await transaction.insert({ table: roles.table, values, onConflict: 'ignore' })) === 1
}

/** Adds what is missing of the built-in role and of those that new accounts get. */
export async function ensureRoles(
  transaction: Transaction,
  ofNewAccounts: readonly string[],
  now: number,
): Promise<void> {
  const createdAt = timestamp(now)
  await insertRole(
    transaction,
    { name: ADMIN, description: 'Administers users, roles and domains' },
    createdAt,
  )
  for (const name of ofNewAccounts)
    await insertRole(transaction, { name, description: 'Everybody who registers' }, createdAt)
}

/** The names of the roles that a user holds, by name. */
export async function rolesOf(reader: Reader, userId: string): Promise<readonly string[]> {
  const { table, columns } = userRoles
  const order = [{ column: columns.role, descending: false }]
  const where = eq(columns.user_id, userId)
  const rows = await reader.select({ table, columns: [columns.role], where, order })
  return rows.map((row) => textIn(row, columns.role))
}

/** The same of several users, by their ids. */
export async function rolesOfAll(
  reader: Reader,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const held = new Map<string, string[]>()
  if (userIds.length === 0) return held
  const { table, columns } = userRoles
  const rows = await reader.select({
    table,
    columns: table.columns,
    where: { op: 'in', column: columns.user_id, values: userIds },
    order: [{ column: columns.role, descending: false }],
  })
  for (const row of rows) {
    const id = textIn(row, columns.user_id)
    held.set(id, [...(held.get(id) ?? []), textIn(row, columns.role)])
  }
  return held
}

/** The users who hold one of these roles. */
export const holdsOneOf = (names: readonly string[]): Condition => ({
  op: 'exists',
  table: userRoles.table,
  on: [[userRoles.columns.user_id, users.columns.id]],
  where: { op: 'in', column: userRoles.columns.role, values: names },
})

/** Removes a role, from those who hold it too; false where there is none. */
export async function removeRole(transaction: Transaction, name: string): Promise<boolean> {
  return (await transaction.remove({ table: roles.table, where: eq(roles.columns.name, name) })) === 1
}

/** Gives a user exactly these roles, and answers them by name. Throws VALIDATION_ERROR for one that is not there. */
export async function replaceRoles(
  transaction: Transaction,
  userId: string,
  wanted: readonly string[],
): Promise<readonly string[]> {
  await assertRolesExist(transaction, wanted)
  const { table, columns } = userRoles
  await transaction.remove({ table, where: eq(columns.user_id, userId) })
  for (const role of new Set(wanted)) await transaction.insert({ table, values: { user_id: userId, role } })
  return rolesOf(transaction, userId)
}

/** Holds the wanted roles, so that nobody removes one before the transaction ends. Throws VALIDATION_ERROR. */
export async function assertRolesExist(transaction: Transaction, wanted: readonly string[]): Promise<void> {
  if (wanted.length === 0) return
  const { table, columns } = roles
  const where = { op: 'in', column: columns.name, values: wanted } as const
  const order = [{ column: columns.name, descending: false }]
  const held = await transaction.select({ table, columns: [columns.name], where, order, lock: true })
  const known = new Set(held.map((row) => textIn(row, columns.name)))
  const at = wanted.findIndex((role) => !known.has(role))
  if (at < 0) return
  throw fieldFault(`roles.${at}`, 'reference', `There is no role '${wanted[at]}': create it first`)
}
