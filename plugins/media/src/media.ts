import type { Condition, Store } from '@svc/store/contract'
import type { Media } from './contract.ts'
import { itemsOf } from './library/find.ts'
import { releaseItems } from './references/release.ts'
import { ofResource } from './references/rows.ts'
import type { Means } from './setting.ts'
import { REFERENCE, references } from './tables.ts'
import { opens, type Tiers } from './tiers.ts'

/** The tiers of a domain's library. */
export type TiersOf = (domain: string) => Tiers

/** Makes what other plugins reach the libraries by. */
export function createMedia(store: Store, means: Means, tiersOf: TiersOf): Media {
  const find: Media['find'] = async (domain, id) => (await itemsOf(domain, [id], store))[0]
  return {
    messageLimit: means.files.messageLimit,
    find,
    async open(domain, id) {
      const item = await find(domain, id)
      const file = item?.place && (await means.files.find(item.id))
      return item && file && { item, read: () => means.files.read(file, 0, file.size) }
    },
    mayBrowse: (caller, item) => opens(tiersOf(item.domain).browse, caller, item),
    put: means.keep,
    async release(domain, { resource, keys, fields }, transaction, by) {
      const all = ofResource(domain, resource, keys.map(String))
      const where: Condition =
        fields === undefined
          ? all
          : { op: 'and', of: [all, { op: 'in', column: REFERENCE.fieldName, values: fields }] }
      const columns = [REFERENCE.mediaId]
      const rows = await transaction.select({ table: references, columns, where, order: [] })
      if (rows.length === 0) return
      await transaction.remove({ table: references, where })
      const ids = rows.map((row) => String(row[REFERENCE.mediaId.name]))
      await releaseItems(domain, ids, means, transaction, by)
    },
  }
}
