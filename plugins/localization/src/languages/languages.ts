import { fallbacks, type Locale, readAcceptLanguage } from '@svc/domain/contract'
import type { LocalizationDefinition } from '../definition.ts'

/** The locales of a domain. */
export interface Languages {
  readonly defaultLocale: string
  /** As they are written, the default one among them. */
  readonly supported: readonly string[]
  /** A supported locale as it is written, by any writing of its tag; undefined for any other. */
  find(tag: string): string | undefined
  /** What a header `Accept-Language` comes to; the same object for the same header, as a rule. */
  negotiate(header: string): Locale
  /** Where the texts of a supported locale are looked for, in lower case: itself, its base, the chain, the default. */
  chainOf(locale: string): readonly string[]
}

/** How many headers are remembered: a client can make up any number of them. */
const REMEMBERED = 500
/** Longer ones are nobody's, and fill the memory. */
const LONGEST = 200

export function createLanguages({
  defaultLocale = 'en',
  supportedLocales = [defaultLocale],
  fallbackChain = [],
}: LocalizationDefinition): Languages {
  const byTag = new Map([...supportedLocales, defaultLocale].map((tag) => [tag.toLowerCase(), tag]))
  const chains = new Map<string, readonly string[]>()
  const chainOf = (locale: string): readonly string[] => {
    const known = chains.get(locale)
    if (known) return known
    const further = [...fallbackChain, defaultLocale].map((tag) => tag.toLowerCase())
    const made = Object.freeze([...new Set([...fallbacks(locale), ...further])])
    chains.set(locale, made)
    return made
  }
  const negotiated = (header: string): Locale => {
    const wanted = readAcceptLanguage(header)
    const refused = new Set(
      wanted.filter(({ weight }) => weight === 0).map(({ range }) => range.toLowerCase()),
    )
    const taken = wanted
      .filter(({ weight }) => weight > 0)
      .map(({ range }) => (range === '*' ? defaultLocale : range))
    const found = taken.flatMap(fallbacks).find((tag) => byTag.has(tag) && !refused.has(tag))
    const localeResolved = byTag.get(found ?? '') ?? defaultLocale
    return Object.freeze({
      locale: taken[0] ?? defaultLocale,
      localeResolved,
      chain: chainOf(localeResolved),
    })
  }
  const remembered = new Map<string, Locale>()
  return {
    defaultLocale,
    supported: [...byTag.values()],
    find: (tag) => byTag.get(tag.toLowerCase()),
    chainOf,
    negotiate(header) {
      const known = remembered.get(header)
      if (known !== undefined) return known
      const made = negotiated(header)
      if (header.length > LONGEST) return made
      if (remembered.size >= REMEMBERED) remembered.clear()
      remembered.set(header, made)
      return made
    },
  }
}
