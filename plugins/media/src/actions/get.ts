import { domainAction } from '@svc/domain/contract'
import { errors } from '@svc/kernel'
import { shown } from '../item.ts'
import { itemNamed } from '../library/find.ts'
import { countReferences } from '../library/referred.ts'
import { referencesSeenBy } from '../library/seen.ts'
import type { Library } from '../setting.ts'
import { accessOf, opens } from '../tiers.ts'
import { WholeItem } from './shapes.ts'

/** Makes the action that answers an item with what refers to it. */
export const getAction = ({ domain, tiers }: Library) =>
  domainAction({
    name: 'get',
    summary: 'Read an item of the library',
    access: accessOf(tiers.browse),
    routes: ['GET /media/:id'],
    output: WholeItem,
    async handle({ id = '' }, { caller }, data) {
      const item = await itemNamed(domain, id, data.reader)
      if (!opens(tiers.browse, caller, item)) throw errors.FORBIDDEN({ message: 'This item is not yours' })
      return {
        ...shown(item),
        reference_count: await countReferences(item.id, data.reader),
        references: await referencesSeenBy(caller, item.id, data),
      }
    },
  })
