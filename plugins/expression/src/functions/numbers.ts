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

/** Half away from zero, by the number's shortest decimal digits: 1.005 to two digits is 1.01. */
function round(x: number, digits: number): number {
  const [mantissa = '', exponent = '0'] = String(Math.abs(x)).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const figures = `${whole}${fraction}`
  const dropped = fraction.length - Number(exponent) - digits
  if (dropped <= 0) return x
  if (dropped > figures.length) return 0
  const unit = 10n ** BigInt(dropped)
  const rounded = Number(`${(BigInt(figures) + unit / 2n) / unit}e${-digits}`)
  // Past what a double holds, there is no rounder number.
  return Number.isFinite(rounded) ? Math.sign(x) * rounded : x
}
