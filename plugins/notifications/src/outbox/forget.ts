import { ACCOUNTS, type AccountRemoving } from '@svc/auth/contract'
import type { Condition } from '@svc/store/contract'
import { ENTRY, tablesOf } from './tables.ts'

/** Removes the messages that are addressed to an account, in the transaction that removes the account. */
export async function forgetAccount(
  domains: Iterable<string>,
  { id, transaction }: AccountRemoving,
): Promise<void> {
  const [account] = await transaction.select({
    table: ACCOUNTS.table,
    columns: [ACCOUNTS.email],
    where: { op: 'eq', column: ACCOUNTS.id, value: id },
    order: [],
    limit: 1,
  })
  const email = account?.[ACCOUNTS.email.name]
  const addressed: readonly Condition[] = [
    { op: 'eq', column: ENTRY.account, value: id },
    ...(typeof email === 'string' ? [{ op: 'eq', column: ENTRY.recipient, value: email } as const] : []),
  ]
  for (const domain of domains)
    await transaction.remove({ table: tablesOf(domain).entries, where: { op: 'or', of: addressed } })
}
