import { compileItem, ITEM_ATTRIBUTES } from './check/item.ts'
import { listType } from './list-type.ts'

/** A list in which no value stands twice. */
export const set = listType({ name: 'set', attributes: ITEM_ATTRIBUTES, distinct: true, item: compileItem })
