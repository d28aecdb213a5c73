import { compileObject, MEMBER_ATTRIBUTES } from './check/members.ts'
import { jsonType } from './json-type.ts'

/** A group of fields in one value. */
export const component = jsonType({
  name: 'component',
  attributes: MEMBER_ATTRIBUTES,
  compile: compileObject,
})
