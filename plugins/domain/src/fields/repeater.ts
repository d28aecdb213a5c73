import { compileObject, MEMBER_ATTRIBUTES } from './check/members.ts'
import { listType } from './list-type.ts'

/** A list of groups of fields. */
export const repeater = listType({ name: 'repeater', attributes: MEMBER_ATTRIBUTES, item: compileObject })
