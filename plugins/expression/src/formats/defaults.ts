import { isZone } from './zone.ts'
import type { CurrencySign, Formats } from './formats.ts'

/** What formats are made of that a locale does not say. */
export interface FormatSettings {
  /** A tag of BCP 47; one that nobody knows is read as `en`. */
  readonly locale: string
  /** An IANA zone; UTC unless said. */
  readonly timezone?: string | undefined
  /** A code of ISO 4217. */
  readonly currency?: string | undefined
  readonly labelOf?: Formats['labelOf']
}

const PATTERNS = Object.freeze({ date: 'yyyy-MM-dd', time: 'HH:mm', datetime: 'yyyy-MM-dd HH:mm' })

/** The formats of a locale by CLDR, with dates as ISO 8601 writes them. */
export function formatsOf({ locale, timezone, currency, labelOf }: FormatSettings): Formats {
  const known = knownLocale(locale)
  const currencyOf = (code: string): CurrencySign => signOf(known, code)
  return Object.freeze({
    locale: known,
    timezone: timezone !== undefined && isZone(timezone) ? timezone : 'UTC',
    ...marksOf(known),
    currency: currency === undefined ? undefined : currencyOf(currency),
    currencyOf,
    patterns: PATTERNS,
    yes: 'Yes',
    no: 'No',
    labelOf,
  })
}

function knownLocale(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? 'en'
  } catch {
    return 'en'
  }
}

/** `latn`: the digits of every locale are those of ASCII here, as numbers are everywhere else. */
const NUMBERS = { numberingSystem: 'latn' } as const

const marks = new Map<string, Pick<Formats, 'decimal' | 'group'>>()

function marksOf(locale: string): Pick<Formats, 'decimal' | 'group'> {
  const known = marks.get(locale)
  if (known) return known
  const parts = new Intl.NumberFormat(locale, { ...NUMBERS, useGrouping: 'always' }).formatToParts(1234567.5)
  const mark = (type: string, otherwise: string) =>
    parts.find((part) => part.type === type)?.value ?? otherwise
  const made = { decimal: mark('decimal', '.'), group: mark('group', ',') }
  marks.set(locale, made)
  return made
}

const signs = new Map<string, CurrencySign>()

/** Codes are texts of authors: no more are kept than there are currencies. */
const MOST_SIGNS = 2000

function signOf(locale: string, code: string): CurrencySign {
  const key = `${locale} ${code}`
  const known = signs.get(key)
  if (known) return known
  if (signs.size >= MOST_SIGNS) signs.clear()
  const made = readSign(locale, code)
  signs.set(key, made)
  return made
}

function readSign(locale: string, code: string): CurrencySign {
  try {
    const style = { ...NUMBERS, style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' } as const
    const parts = new Intl.NumberFormat(locale, style).formatToParts(1)
    const at = parts.findIndex(({ type }) => type === 'currency')
    const number = parts.findIndex(({ type }) => type === 'integer')
    return { sign: parts[at]?.value ?? code, isAfter: at > number }
  } catch {
    return { sign: code, isAfter: true }
  }
}
