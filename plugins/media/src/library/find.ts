import { errors } from '@svc/kernel'
import type { Condition, Reader } from '@svc/store/contract'
import { isUuid, itemOf, type MediaItem } from '../item.ts'
import { ITEM, items } from '../tables.ts'

/** The items of a domain. */
export const ofDomain = (domain: string): Condition => ({ op: 'eq', column: ITEM.domain, value: domain })

/** The items of `ids` that a domain has, in the order of their ids; with `lock` nobody else takes one away or refers to one anew. */
export async function itemsOf(
  domain: string,
  ids: readonly string[],
  reader: Reader,
  lock: boolean | 'shared' = false,
): Promise<readonly MediaItem[]> {
  const known = ids.filter(isUuid).map((id) => id.toLowerCase())
  if (known.length === 0) return []
  const rows = await reader.select({
    table: items,
    columns: items.columns,
    where: { op: 'and', of: [{ op: 'in', column: ITEM.id, values: known }, ofDomain(domain)] },
    order: [{ column: ITEM.id, descending: false }],
    ...(lock !== false && { lock }),
  })
  return rows.map(itemOf)
}

/** The item of an id. Throws NOT_FOUND. */
export async function itemNamed(
  domain: string,
  id: string,
  reader: Reader,
  lock: boolean = false,
): Promise<MediaItem> {
  const [item] = await itemsOf(domain, [id], reader, lock)
  if (item === undefined)
    throw errors.NOT_FOUND({ message: `There is no item '${id.slice(0, 100)}' of media` })
  return item
}

/** The item that a file is the bytes of, of whatever domain. */
export async function itemOfFile(id: string, reader: Reader): Promise<MediaItem | undefined> {
  const where: Condition = { op: 'eq', column: ITEM.id, value: id }
  const [row] = await reader.select({ table: items, columns: items.columns, where, order: [], limit: 1 })
  return row && itemOf(row)
}
