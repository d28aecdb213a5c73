import { callerOf } from '@svc/auth/contract'
import type { Data } from '@svc/domain/contract'
import { type Caller, errors, SYSTEM } from '@svc/kernel'
import type { Integration } from '../integration.ts'
import { type Finds, findsOf } from '../mapping/finds.ts'
import type { Parts } from '../parts.ts'

/** With whose rights an integration finds and writes. Throws CONFLICT where there is no such account that may. */
export async function writerOf(
  { as, name }: Pick<Integration, 'as' | 'name'>,
  { accounts }: Pick<Parts, 'accounts'>,
): Promise<Caller> {
  if (as === undefined) return { ...SYSTEM, username: `integration:${name}` }
  const account = await accounts.find(as)
  if (account?.status !== 'active' || account.username !== as)
    throw errors.CONFLICT({
      message: `The integration '${name}' writes as '${as}', which is no active account`,
    })
  return callerOf(account)
}

/** What a run of an integration looks for in other records, with the rights by which it writes. */
export const findsFor = (integration: Integration, data: Data, parts: Pick<Parts, 'accounts'>): Finds =>
  findsOf(data, () => writerOf(integration, parts))
