import type { Value } from '@svc/store/contract'
import { commonKind, isList, isObject } from '../values/kind.ts'
import { defineFunction } from './function.ts'

/** Functions that take null as a value. */
export const NULL_FUNCTIONS = {
  coalesce: defineFunction({
    takes: ['any'],
    repeats: true,
    gives: commonKind,
    evaluate: (values) => values.find((value) => value !== null) ?? null,
  }),
  isNull: defineFunction({ takes: ['any'], gives: 'boolean', evaluate: ([value]) => value === null }),
  isEmpty: defineFunction({ takes: ['any'], gives: 'boolean', evaluate: ([value]) => isEmpty(value) }),
  if: defineFunction({
    takes: ['any', 'any', 'any'],
    optional: 1,
    gives: ([, ...results]) => commonKind(results),
    evaluate: ([test, then, otherwise = null]) => (test === true ? then : otherwise),
  }),
}

/** Null, the empty text, the empty list and the empty object. */
function isEmpty(value: Value): boolean {
  if (isList(value)) return value.length === 0
  if (isObject(value)) return Object.keys(value).length === 0
  return value === null || value === ''
}
