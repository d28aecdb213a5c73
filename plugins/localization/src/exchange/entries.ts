import type { Model } from '@svc/domain/contract'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { contextOf } from '../catalogue/context.ts'
import { isKnownIn } from '../catalogue/known.ts'
import { keyOf } from '../catalogue/locale-files.ts'

/** The keys of a domain that have a text in some locale, in order. */
export function keysOf(catalogue: Catalogue, model: Model): readonly string[] {
  const isKnown = isKnownIn(catalogue, model)
  const keys = new Set([...catalogue.keys()].map((key) => keyOf({ key }, isKnown)).filter(isKnown))
  const { languages, find } = catalogue
  const chain = languages.chainOf(languages.defaultLocale)
  return [...keys].filter((key) => find(key, chain) !== undefined).toSorted()
}

/** One key, as translators meet it. */
export interface Entry {
  readonly key: string
  readonly context: string
  /** The text for readers of the default locale. */
  readonly source: string
  /** The text in the locale itself; undefined where there is none. */
  readonly text: string | undefined
}

/** Everything that may be said in a locale, by key. */
export function entriesOf(catalogue: Catalogue, model: Model, locale: string): readonly Entry[] {
  const { languages, find, own } = catalogue
  const chain = languages.chainOf(languages.defaultLocale)
  return keysOf(catalogue, model).map((key) => ({
    key,
    context: contextOf(key),
    source: find(key, chain)?.text ?? '',
    text: own(key, locale)?.text,
  }))
}
