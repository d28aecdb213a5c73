import { compileItem, ITEM_ATTRIBUTES } from './check/item.ts'
import { listType } from './list-type.ts'

/** A list of values of one type, or of any JSON values. */
export const array = listType({ name: 'array', attributes: ITEM_ATTRIBUTES, item: compileItem })
