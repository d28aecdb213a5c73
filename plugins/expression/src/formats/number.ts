import type { Formats } from './formats.ts'

type Marks = Pick<Formats, 'decimal' | 'group'>

/** A number with its digits in groups of three, rounded half away from zero to at most `most` decimals, at least `least`. */
export function writeNumber(value: number, marks: Marks, most: number, least = most): string {
  const { negative, whole, fraction } = rounded(value, most)
  const shown = fraction.replace(/0+$/, '').padEnd(least, '0')
  const digits = whole.replace(/\B(?=(?:\d{3})+$)/g, marks.group)
  return `${negative ? '-' : ''}${digits}${shown === '' ? '' : marks.decimal + shown}`
}

interface Digits {
  readonly negative: boolean
  readonly whole: string
  readonly fraction: string
}

/** By the digits as they are written: 1.005 has three decimals, whatever a double makes of it. */
function rounded(value: number, decimals: number): Digits {
  const [whole, fraction] = plainDigits(Math.abs(value))
  const kept = fraction.slice(0, decimals).padEnd(decimals, '0')
  const up = (fraction[decimals] ?? '0') >= '5'
  const digits = (BigInt(whole + kept) + (up ? 1n : 0n)).toString().padStart(decimals + 1, '0')
  const split = digits.length - decimals
  return {
    negative: value < 0 && /[1-9]/.test(digits),
    whole: digits.slice(0, split),
    fraction: digits.slice(split),
  }
}

/** The digits before and after the point, without an exponent. */
function plainDigits(value: number): readonly [string, string] {
  const [mantissa = '0', exponent = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  const shift = Number(exponent)
  if (shift >= 0) return [whole + fraction.slice(0, shift).padEnd(shift, '0'), fraction.slice(shift)]
  const digits = whole.padStart(1 - shift, '0')
  return [digits.slice(0, shift), digits.slice(shift) + fraction]
}

/** How many decimals a number has as it is written. */
export const decimalsOf = (value: number): number => plainDigits(Math.abs(value))[1].length
