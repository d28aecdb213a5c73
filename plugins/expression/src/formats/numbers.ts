import { nearest } from '@svc/kernel'
import type { Value } from '@svc/store/contract'
import { CURRENCIES } from './currencies.ts'
import type { CurrencySign, Formats } from './formats.ts'
import type { Format } from './format.ts'
import { writeNumber } from './number.ts'

/** Formats of numbers, rounded half away from zero. */
export const NUMBER_FORMATS = {
  integer: ofNumber((value, _, formats) => writeNumber(value, formats, 0)),
  decimal: withDecimals((value, decimals = 2, formats) => writeNumber(value, formats, decimals)),
  percentage: withDecimals((value, decimals = 2, formats) => `${writeNumber(value, formats, decimals, 0)}%`),
  money: {
    takes: ['text'],
    inspect(code) {
      if (!isCode(code)) return "a currency is written by its code, as in 'EUR'"
      if (CURRENCIES.has(code)) return undefined
      const meant = nearest(code, CURRENCIES)
      const hint = meant === undefined ? 'write a code of ISO 4217' : `did you mean '${meant}'?`
      return `there is no currency '${code}': ${hint}`
    },
    write(value, [code], formats) {
      if (!isFinite(value)) return undefined
      const sign = isCode(code) ? formats.currencyOf(code) : formats.currency
      return signed(value, sign, formats)
    },
  },
  bytes: ofNumber(writeBytes),
} as const satisfies Readonly<Record<string, Format>>

type Write = (value: number, args: readonly Value[], formats: Formats) => string

function ofNumber(write: Write): Format {
  return {
    takes: [],
    write: (value, args, formats) => (isFinite(value) ? write(value, args, formats) : undefined),
  }
}

const MOST_DECIMALS = 10

function withDecimals(
  write: (value: number, decimals: number | undefined, formats: Formats) => string,
): Format {
  return {
    takes: ['whole'],
    inspect: (decimals) =>
      isDecimals(decimals) ? undefined : `the decimals are a number from 0 to ${MOST_DECIMALS}`,
    write: (value, [decimals], formats) =>
      isFinite(value) ? write(value, isDecimals(decimals) ? decimals : undefined, formats) : undefined,
  }
}

/** JSON has none of them, and reading `1e999` makes one. */
export const isFinite = (value: Value): value is number => typeof value === 'number' && Number.isFinite(value)

const isDecimals = (value: Value | undefined): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_DECIMALS

const isCode = (value: Value | undefined): value is string =>
  typeof value === 'string' && /^[A-Z]{3}$/.test(value)

const NO_BREAK_SPACE = '\u00a0'

function signed(value: number, currency: CurrencySign | undefined, formats: Formats): string {
  const amount = writeNumber(Math.abs(value), formats, 2)
  const minus = value < 0 && /[1-9]/.test(amount) ? '-' : ''
  if (currency === undefined) return `${minus}${amount}`
  const { sign, isAfter } = currency
  return isAfter ? `${minus}${amount}${NO_BREAK_SPACE}${sign}` : `${minus}${sign}${amount}`
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']

/** In powers of 1,024; what would round up to the next unit is written in that one. */
function writeBytes(value: number, _: readonly Value[], formats: Formats): string {
  let [size, unit] = [value, 0]
  while (Math.abs(size) >= 1023.95 && unit < UNITS.length - 1) {
    size /= 1024
    unit++
  }
  return `${writeNumber(size, formats, unit === 0 ? 0 : 1, 0)} ${UNITS[unit]}`
}
