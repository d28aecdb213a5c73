import { fallbacks, type WrittenFormats } from '@svc/domain/contract'
import { type Formats, formatsOf } from '@svc/expression/contract'
import type { LocalizationDefinition } from '../definition.ts'
import type { Languages } from './languages.ts'

const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(['ar', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'])

/** The direction of writing of a locale. */
export function directionOf({ textDirection = {} }: LocalizationDefinition, locale: string): 'ltr' | 'rtl' {
  const declared = ofNearest(textDirection, fallbacks(locale))
  return declared ?? (RIGHT_TO_LEFT.has(locale.toLowerCase().split('-')[0]!) ? 'rtl' : 'ltr')
}

/** What the domain says of how values are written in a locale: what the first of its chain says that says anything. */
export function writtenFormats(
  { dateFormat = {}, numberFormat = {} }: LocalizationDefinition,
  { chainOf }: Pick<Languages, 'chainOf'>,
  locale: string,
  currency: unknown,
): WrittenFormats {
  const chain = chainOf(locale)
  const date = ofNearest(dateFormat, chain)
  const said = ofNearest(numberFormat, chain)
  const saying = chain.find((tag) => tagged(numberFormat, tag) !== undefined)
  return {
    ...(date !== undefined && { patterns: { date, time: 'HH:mm', datetime: `${date} HH:mm` } }),
    ...(said && saying !== undefined && marksOf(said, saying, currency)),
  }
}

type NumberFormat = NonNullable<LocalizationDefinition['numberFormat']>[string]

/** The marks of a number format, filled up by CLDR's for the locale that it is of. */
export function marksOf(
  { thousands, decimal, currencySymbol, currencyPosition }: NumberFormat,
  locale: string,
  currency: unknown,
): Pick<Formats, 'decimal' | 'group' | 'currency'> {
  const usual = formatsOf({ locale, currency: typeof currency === 'string' ? currency : undefined })
  const sign = currencySymbol ?? usual.currency?.sign
  const isAfter =
    currencyPosition === undefined ? (usual.currency?.isAfter ?? false) : currencyPosition === 'after'
  return {
    decimal: decimal ?? usual.decimal,
    group: thousands ?? usual.group,
    currency: sign === undefined ? undefined : { sign, isAfter },
  }
}

const ofNearest = <T>(map: Readonly<Record<string, T>>, chain: readonly string[]): T | undefined => {
  for (const tag of chain) {
    const found = tagged(map, tag)
    if (found !== undefined) return found
  }
  return undefined
}

/** By a tag in lower case, however it is written in the map. */
const tagged = <T>(map: Readonly<Record<string, T>>, tag: string): T | undefined =>
  Object.entries(map).find(([key]) => key.toLowerCase() === tag)?.[1]
