import { errors } from '@svc/kernel'
import type { Reader, Transaction } from '@svc/store/contract'
import { ADMIN } from './roles.ts'
import { all, eq, textIn } from './rows.ts'
import { roles, userRoles, users } from './tables.ts'

/**
 * Refuses (409 CONFLICT) to go on where nobody but `userId` is an active administrator. The role's row is held
 * until the transaction ends, so that two administrators cannot take the role from each other at once.
 */
export async function assertOtherAdmin(transaction: Transaction, userId: string): Promise<void> {
  await transaction.select({
    table: roles.table,
    columns: [roles.columns.name],
    where: eq(roles.columns.name, ADMIN),
    order: [],
    lock: true,
  })
  const holders = await admins(transaction)
  if (!holders.includes(userId)) return
  if (
    await anyActive(
      transaction,
      holders.filter((id) => id !== userId),
    )
  )
    return
  throw errors.CONFLICT({ message: 'This is the last active administrator: make another one first' })
}

/** Whether anybody can administrate the server. */
export const hasActiveAdmin = async (reader: Reader): Promise<boolean> =>
  anyActive(reader, await admins(reader))

/** The usernames of those who can administrate the server, in the order of their names. */
export async function activeAdmins(reader: Reader): Promise<readonly string[]> {
  const { table, columns } = users
  const where = all(
    { op: 'in', column: columns.id, values: await admins(reader) },
    eq(columns.status, 'active'),
  )
  const rows = await reader.select({ table, columns: [columns.username], where, order: [] })
  return rows.map((row) => textIn(row, columns.username)).toSorted()
}

async function admins(reader: Reader): Promise<readonly string[]> {
  const { table, columns } = userRoles
  const rows = await reader.select({
    table,
    columns: [columns.user_id],
    where: eq(columns.role, ADMIN),
    order: [],
  })
  return rows.map((row) => textIn(row, columns.user_id))
}

async function anyActive(reader: Reader, ids: readonly string[]): Promise<boolean> {
  const { table, columns } = users
  const where = all({ op: 'in', column: columns.id, values: ids }, eq(columns.status, 'active'))
  return (await reader.count({ table, where })) > 0
}
