/** Half away from zero, by the number's shortest decimal digits: 1.005 to two digits is 1.01. `digits` is whole. */
export function round(x: number, digits: number): number {
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
