/**
 * The sum of numbers by their shortest decimal digits, as the nearest double: 0.1 and 0.2 are 0.3. Null past what a double
 * holds; 0 of none.
 */
export function exactSum(numbers: readonly number[]): number | null {
  const sum = new ExactSum()
  for (const number of numbers) sum.add(number)
  return sum.value
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

  add(number: number): void {
    const units = Math.round(number * UNIT)
    const sum = this.#small + units
    if (units / UNIT === number && Math.abs(units) < MOST_UNITS && Math.abs(sum) < MOST_UNITS)
      this.#small = sum
    else this.#addDigits(number)
  }

  get value(): number | null {
    if (this.#large.size === 0) return this.#small / UNIT
    const digits = [...this.#large, [-PLACES, BigInt(this.#small)] as const]
    const least = Math.min(...digits.map(([power]) => power))
    const total = digits.reduce((sum, [power, value]) => sum + value * 10n ** BigInt(power - least), 0n)
    const value = Number(`${total}e${least}`)
    return Number.isFinite(value) ? value : null
  }

  #addDigits(number: number): void {
    const [mantissa = '', exponent = '0'] = String(number).split('e')
    const [whole = '', fraction = ''] = mantissa.split('.')
    const power = Number(exponent) - fraction.length
    this.#large.set(power, (this.#large.get(power) ?? 0n) + BigInt(`${whole}${fraction}`))
  }
}
