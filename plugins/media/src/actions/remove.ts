import { domainAction } from '@svc/domain/contract'
import { errors, Reply } from '@svc/kernel'
import { type Reader, StoreConflict } from '@svc/store/contract'
import { z } from 'zod'
import { mediaErrors } from '../errors.ts'
import { isUuid, type MediaItem } from '../item.ts'
import { itemNamed, itemsOf } from '../library/find.ts'
import { once } from '../library/once.ts'
import { countReferences, referredTo } from '../library/referred.ts'
import { removeItems } from '../library/remove.ts'
import type { Library } from '../setting.ts'
import { accessOf, opens } from '../tiers.ts'
import { Deleted } from './shapes.ts'

/** Makes the action that deletes an item with its bytes. */
export const deleteAction = (library: Library) =>
  domainAction({
    name: 'delete',
    summary: 'Delete an item that no record refers to, with its bytes',
    access: accessOf(library.tiers.manage),
    routes: ['DELETE /media/:id'],
    async handle({ id = '' }, call, data) {
      const { domain, tiers } = library
      const removing = data.write(call, async (transaction) => {
        const found = await itemNamed(domain, id, transaction, true)
        if (!opens(tiers.manage, call.caller, found))
          throw errors.FORBIDDEN({ message: 'This item is not yours to delete' })
        const count = await countReferences(found.id, transaction)
        if (count > 0) throw referenced(count)
        await removeItems([found], library, transaction, call)
      })
      await removing.catch((error: unknown) => refuse(error, id, data.reader))
      return Reply.empty()
    },
  })

const input = z.looseObject({
  ids: z.array(z.string(), { error: 'must be a list of ids' }).describe('The ids of the items'),
})

/** Makes the action that deletes many items, and passes over those that it may not. */
export const bulkDeleteAction = (library: Library) =>
  domainAction<z.output<typeof input>>({
    name: 'bulk-delete',
    summary: 'Delete the items of a list that no record refers to, with their bytes',
    access: accessOf(library.tiers.manage),
    routes: ['POST /media/bulk-delete'],
    input,
    output: Deleted,
    async handle({ ids: given }, call, data) {
      const { domain, tiers, domains } = library
      const most = domains.limits.bulk
      if (given.length > most)
        throw mediaErrors.BULK_LIMIT_EXCEEDED({
          message: `${given.length} ids are too many: at most ${most} fit in one request`,
        })
      const ids = [...new Set(given.map((id) => (isUuid(id) ? id.toLowerCase() : id)))]
      return once({ action: 'bulk-delete', sent: ids }, call, { library, data }, async (transaction) => {
        const found = await itemsOf(domain, ids, transaction, true)
        const all = found.map(({ id }) => id)
        const referred = await referredTo(all, transaction)
        const gone = found.filter((item) => !referred.has(item.id) && opens(tiers.manage, call.caller, item))
        await removeItems(gone, library, transaction, call)
        return new Reply({ data: outcome(ids, all, gone) })
      })
    },
  })

/** What has become of each id that was asked for. */
function outcome(asked: readonly string[], found: readonly string[], gone: readonly MediaItem[]) {
  const [known, left] = [new Set(found), new Set(gone.map(({ id }) => id))]
  return {
    deleted: left.size,
    skipped: asked.filter((id) => known.has(id) && !left.has(id)),
    not_found: asked.filter((id) => !known.has(id)),
  }
}

const referenced = (count: number) =>
  mediaErrors.MEDIA_REFERENCED({
    message: `${count} ${count === 1 ? 'reference leads' : 'references lead'} to this item: change those records first`,
  })

/** Where a write came in between, the database has kept the item. */
async function refuse(error: unknown, id: string, reader: Reader): Promise<never> {
  if (!(error instanceof StoreConflict)) throw error
  throw referenced(Math.max(1, await countReferences(id, reader)))
}
