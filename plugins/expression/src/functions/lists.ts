import type { Value } from '@svc/store/contract'
import { finite } from '../semantics.ts'
import { defineFunction } from './function.ts'

/** Functions of lists. They pass over nulls, and null in place of the list is the empty list. */
export const LIST_FUNCTIONS = {
  size: defineFunction({
    takes: ['items'],
    gives: 'number',
    evaluate: ([items]) => items.length,
  }),
  first: defineFunction({
    takes: ['items'],
    gives: 'unknown',
    evaluate: ([items]) => items[0] ?? null,
  }),
  last: defineFunction({
    takes: ['items'],
    gives: 'unknown',
    evaluate: ([items]) => items.at(-1) ?? null,
  }),
  sum: defineFunction({
    takes: ['items'],
    gives: 'number',
    evaluate: ([items]) => (items.every(isNumber) ? finite(total(items)) : null),
  }),
  avg: defineFunction({
    takes: ['items'],
    gives: 'number',
    evaluate: ([items]) => (items.every(isNumber) ? finite(total(items) / items.length) : null),
  }),
  any: defineFunction({
    takes: ['items'],
    gives: 'boolean',
    evaluate: ([items]) => (items.every(isBoolean) ? items.includes(true) : null),
  }),
  all: defineFunction({
    takes: ['items'],
    gives: 'boolean',
    evaluate: ([items]) => (items.every(isBoolean) ? !items.includes(false) : null),
  }),
}

const total = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
const isNumber = (value: Value): value is number => typeof value === 'number'
const isBoolean = (value: Value): value is boolean => typeof value === 'boolean'
