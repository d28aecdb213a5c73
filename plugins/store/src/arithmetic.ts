/** The most decimal digits that two numbers never share a double for. */
const MOST_UNITS = 1e15
/** The most digits after the point that are looked for. */
const MOST_PLACES = 15
/** Whole numbers up to here are exact. */
const MOST_WHOLE = 2 ** 53
/** Powers of ten, all of which are exact. */
const POWERS = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`))

/**
 * Sums, differences, products, quotients and remainders of numbers by their decimal digits, as people work them out: 0.1 and 0.2 are
 * 0.3, and 1.1 times 3 is 3.3. The result is the double nearest to that of the digits, as long as both numbers have fifteen digits at
 * most, and what is in between is a whole number of the smallest unit that a double keeps; of others it is that of the
 * doubles. A division by zero, and what no double holds, is no finite number.
 */
export const ARITHMETIC = {
  add: (a: number, b: number): number =>
    areWhole(a, b) ? a + b : inUnits(a, b, (one, other, unit) => (one + other) / unit, a + b),
  subtract: (a: number, b: number): number =>
    areWhole(a, b) ? a - b : inUnits(a, b, (one, other, unit) => (one - other) / unit, a - b),
  multiply: (a: number, b: number): number => (areWhole(a, b) ? a * b : product(a, b)),
  divide: (a: number, b: number): number =>
    areWhole(a, b) ? a / b : inUnits(a, b, (one, other) => one / other, a / b),
  remainder: (a: number, b: number): number =>
    areWhole(a, b) ? a % b : inUnits(a, b, (one, other, unit) => (one % other) / unit, a % b),
}

const areWhole = (a: number, b: number): boolean => Number.isInteger(a) && Number.isInteger(b)

/** What is worked out of two numbers in their smallest common unit, of which so many make one; `otherwise` where they have none. */
function inUnits(
  a: number,
  b: number,
  workOut: (a: number, b: number, unit: number) => number,
  otherwise: number,
): number {
  const places = Math.max(placesOf(a), placesOf(b))
  if (places > MOST_PLACES) return otherwise
  const unit = POWERS[places]!
  const [one, other] = [Math.round(a * unit), Math.round(b * unit)]
  return Math.abs(one) < MOST_UNITS && Math.abs(other) < MOST_UNITS ? workOut(one, other, unit) : otherwise
}

function product(a: number, b: number): number {
  const [places, others] = [placesOf(a), placesOf(b)]
  const unit = POWERS[places + others]
  if (places > MOST_PLACES || others > MOST_PLACES || unit === undefined) return a * b
  const units = Math.round(a * POWERS[places]!) * Math.round(b * POWERS[others]!)
  return Math.abs(units) < MOST_WHOLE ? units / unit : a * b
}

/** How many digits a number has after the point; more than `MOST_PLACES` where it has more than fifteen in all. */
function placesOf(x: number): number {
  for (let places = 0; places <= MOST_PLACES; places += 1) {
    const units = Math.round(x * POWERS[places]!)
    if (Math.abs(units) >= MOST_UNITS) break
    if (units / POWERS[places]! === x) return places
  }
  return Infinity
}
