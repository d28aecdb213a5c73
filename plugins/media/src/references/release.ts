import type { Files } from '@svc/files/contract'
import type { Transaction } from '@svc/store/contract'
import { itemsOf } from '../library/find.ts'
import { referredTo } from '../library/referred.ts'
import { removeItems } from '../library/remove.ts'
import type { By, Telling } from '../library/telling.ts'

/** Takes those of some items away, with their bytes, that nothing refers to any more. */
export async function releaseItems(
  domain: string,
  ids: readonly string[],
  means: Telling & { readonly files: Files },
  transaction: Transaction,
  by: By,
): Promise<void> {
  if (ids.length === 0) return
  const found = await itemsOf(domain, [...new Set(ids)], transaction, true)
  const referred = await referredTo(
    found.map(({ id }) => id),
    transaction,
  )
  await removeItems(
    found.filter(({ id }) => !referred.has(id)),
    means,
    transaction,
    by,
  )
}
