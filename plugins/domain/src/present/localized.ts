import type { Text } from '../definition/schema/text.ts'

/**
 * The one text that a reader of `acceptLanguage` (RFC 9110, section 12.5.4) gets: the best accepted locale, a
 * dialect falling back to its base, else the first that is there.
 */
export function localized(text: Text | undefined, acceptLanguage?: string): string | undefined {
  if (typeof text !== 'object') return text
  const known = new Map(Object.entries(text).map(([locale, value]) => [locale.toLowerCase(), value]))
  for (const locale of accepted(acceptLanguage ?? '')) {
    const found = known.get(locale) ?? known.get(locale.split('-')[0] ?? '')
    if (found !== undefined) return found
  }
  return known.values().next().value
}

/** Far more than anybody reads; the header is the client's. */
const MAX_LOCALES = 20

function accepted(header: string): readonly string[] {
  return header
    .toLowerCase()
    .split(',', MAX_LOCALES)
    .map((entry) => {
      const [locale = '', ...parameters] = entry.split(';').map((part) => part.trim())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return { locale, weight: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ locale, weight }) => locale !== '' && weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ locale }) => locale)
}
