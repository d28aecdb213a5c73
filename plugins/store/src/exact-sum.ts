import { AVERAGE_DIGITS } from './plan/aggregate.ts'

/**
 * The sum of numbers by their shortest decimal digits, as the nearest double: 0.1 and 0.2 are 0.3. Null past what a double
 * holds; 0 of none.
 */
export function exactSum(numbers: readonly number[]): number | null {
  const sum = new ExactSum()
  for (const number of numbers) sum.add(number)
  return sum.value
}

/** The average of `count` numbers of which such sums are known, as `avg` has it; null over none, and past what a double holds. */
export function exactAverage(sums: readonly number[], count: number): number | null {
  const sum = new ExactSum()
  for (const one of sums) sum.add(one)
  return sum.by(count)
}

/** Digits after the point up to here are summed as whole numbers of the smallest unit, as long as those are exact. */
const PLACES = 6
const UNIT = 10 ** PLACES
/** No double stands for two decimals of up to fifteen digits. */
const MOST_UNITS = 1e15

/** Such a sum while it grows. */
export class ExactSum {
  /** In units, and a safe integer. */
  #small = 0
  /** All that is no small number of units, by its power of ten. */
  readonly #large = new Map<number, bigint>()

  #count = 0

  add(number: number): void {
    this.#count += 1
    const units = Math.round(number * UNIT)
    const sum = this.#small + units
    if (units / UNIT === number && Math.abs(units) < MOST_UNITS && Math.abs(sum) < MOST_UNITS)
      this.#small = sum
    else this.#addDigits(number)
  }

  get value(): number | null {
    if (this.#large.size === 0) return this.#small / UNIT
    const { digits, power } = this.#total()
    return nearest(digits, power)
  }

  /** The sum by the count, rounded half away from zero to `AVERAGE_DIGITS`; null over none, and past what a double holds. */
  get average(): number | null {
    return this.by(this.#count)
  }

  /** The same by another count. */
  by(count: number): number | null {
    if (count === 0) return null
    const { digits, power } = this.#total()
    const shift = power + AVERAGE_DIGITS
    const dividend = (digits < 0n ? -digits : digits) * 10n ** BigInt(Math.max(shift, 0))
    const divisor = BigInt(count) * 10n ** BigInt(Math.max(-shift, 0))
    const rounded = (2n * dividend + divisor) / (2n * divisor)
    return nearest(digits < 0n ? -rounded : rounded, -AVERAGE_DIGITS)
  }

  /** All digits, in units of a power of ten. */
  #total(): { readonly digits: bigint; readonly power: number } {
    const parts = [...this.#large, [-PLACES, BigInt(this.#small)] as const]
    const least = Math.min(...parts.map(([power]) => power))
    const digits = parts.reduce((sum, [power, value]) => sum + value * 10n ** BigInt(power - least), 0n)
    return { digits, power: least }
  }

  #addDigits(number: number): void {
    const [mantissa = '', exponent = '0'] = String(number).split('e')
    const [whole = '', fraction = ''] = mantissa.split('.')
    const power = Number(exponent) - fraction.length
    this.#large.set(power, (this.#large.get(power) ?? 0n) + BigInt(`${whole}${fraction}`))
  }
}

function nearest(digits: bigint, power: number): number | null {
  const number = Number(`${digits}e${power}`)
  return Number.isFinite(number) ? number : null
}
