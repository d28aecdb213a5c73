import { round } from '@svc/store/contract'
import { defineFunction } from './function.ts'

/** Functions of numbers. */
export const NUMBER_FUNCTIONS = {
  abs: defineFunction({ takes: ['number'], gives: 'number', evaluate: ([x]) => Math.abs(x) }),
  round: defineFunction({
    takes: ['number', 'whole'],
    optional: 1,
    gives: 'number',
    evaluate: ([x, digits = 0]) => round(x, digits),
  }),
  floor: defineFunction({ takes: ['number'], gives: 'number', evaluate: ([x]) => Math.floor(x) }),
  ceil: defineFunction({ takes: ['number'], gives: 'number', evaluate: ([x]) => Math.ceil(x) }),
  min: defineFunction({
    takes: ['numbers'],
    repeats: true,
    gives: 'number',
    evaluate: (numbers) => extreme(numbers.flat(), Math.min),
  }),
  max: defineFunction({
    takes: ['numbers'],
    repeats: true,
    gives: 'number',
    evaluate: (numbers) => extreme(numbers.flat(), Math.max),
  }),
}

/** One after the other: a spread of a long list would overflow the stack. */
const extreme = (numbers: readonly number[], better: (a: number, b: number) => number): number | null =>
  numbers.length === 0 ? null : numbers.reduce((a, b) => better(a, b))
