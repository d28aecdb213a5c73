import { type Bus, errors } from '@svc/kernel'
import { StoreConflict } from '@svc/store/contract'
import type { AccountRemoving } from './contract.ts'
import { assertOtherAdmin } from './last-admin.ts'
import { writesOf } from './identities.ts'
import { users } from './tables.ts'
import { byId } from './users.ts'

/**
 * Removes an account with all that belongs to it, in the transaction of its removal. Throws CONFLICT for the last
 * administrator, and where records refer to it.
 */
export async function leave(removing: AccountRemoving, bus: Bus): Promise<void> {
  const { id, transaction, erased } = removing
  // Nothing that bears the name is to be durable behind what renames it.
  if (erased !== undefined) await transaction.exclusiveLock(writesOf(id))
  await assertOtherAdmin(transaction, id)
  await bus.invoke('auth.account.removing', removing)
  await transaction.remove({ table: users.table, where: byId(id) })
}

/** What a removal that failed says. */
export const referencedAsConflict = (error: unknown): unknown =>
  error instanceof StoreConflict
    ? errors.CONFLICT({ message: 'Records refer to this account: give them to somebody else first' })
    : error
