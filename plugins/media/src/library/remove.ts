import type { Files } from '@svc/files/contract'
import type { Transaction } from '@svc/store/contract'
import { fileOf, type MediaItem } from '../item.ts'
import { ITEM, items } from '../tables.ts'
import { type By, tell, type Telling } from './telling.ts'

/** Takes items away that nothing refers to, and with the commit their bytes. Throws StoreConflict where something does. */
export async function removeItems(
  gone: readonly MediaItem[],
  { files, ...telling }: Telling & { readonly files: Files },
  transaction: Transaction,
  by: By,
): Promise<void> {
  if (gone.length === 0) return
  const ids = gone.map(({ id }) => id)
  await transaction.remove({ table: items, where: { op: 'in', column: ITEM.id, values: ids } })
  for (const item of gone) {
    const file = fileOf(item)
    if (file) await files.remove(file, transaction)
    tell(telling, 'deleted', item, transaction, by)
  }
}
