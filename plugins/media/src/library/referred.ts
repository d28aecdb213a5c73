import type { Condition, Reader } from '@svc/store/contract'
import { ITEM, REFERENCE, references } from '../tables.ts'

/** Items that nothing refers to. */
export const UNREFERRED: Condition = {
  op: 'not',
  of: { op: 'exists', table: references, on: [[REFERENCE.mediaId, ITEM.id]], where: { op: 'always' } },
}

/** Those of `ids` that something refers to. */
export async function referredTo(ids: readonly string[], reader: Reader): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await reader.select({
    table: references,
    columns: [REFERENCE.mediaId],
    distinct: true,
    where: { op: 'in', column: REFERENCE.mediaId, values: ids },
    order: [],
  })
  return new Set(rows.map((row) => String(row['media_id'])))
}

/** How many references there are to an item. */
export const countReferences = (id: string, reader: Reader): Promise<number> =>
  reader.count({ table: references, where: { op: 'eq', column: REFERENCE.mediaId, value: id } })
