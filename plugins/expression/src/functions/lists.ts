import { ARITHMETIC, exactSum, type Value } from '@svc/store/contract'
import { finite } from '../values/semantics.ts'
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
    evaluate: ([items]) => (items.every(isNumber) ? exactSum(items) : null),
  }),
  avg: defineFunction({
    takes: ['items'],
    gives: 'number',
    evaluate: ([items]) => (items.every(isNumber) ? average(items) : null),
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

/** The exact sum by the count; null of no numbers. */
export function average(numbers: readonly number[]): number | null {
  const sum = exactSum(numbers)
  return sum === null || numbers.length === 0 ? null : finite(ARITHMETIC.divide(sum, numbers.length))
}

const isNumber = (value: Value): value is number => typeof value === 'number'
const isBoolean = (value: Value): value is boolean => typeof value === 'boolean'
