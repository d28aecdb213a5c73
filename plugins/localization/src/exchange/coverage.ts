import { fallbacks } from '@svc/domain/contract'
import type { Catalogue } from '../catalogue/catalogue.ts'

/** How far a locale is translated. */
export interface Coverage {
  readonly total: number
  readonly translated: number
  readonly missing: number
  /** With one decimal; 100 only where nothing is missing. */
  readonly percentage: number
}

/** Tells of keys whether they have a text in a locale, or in its base. */
export function isTranslatedIn(locale: string, { own }: Pick<Catalogue, 'own'>): (key: string) => boolean {
  const tags = fallbacks(locale)
  return (key) => tags.some((tag) => own(key, tag) !== undefined)
}

export function coverageOf(keys: readonly string[], locale: string, catalogue: Catalogue): Coverage {
  const total = keys.length
  const translated = keys.filter(isTranslatedIn(locale, catalogue)).length
  const missing = total - translated
  const share = Math.round((translated / total) * 1000) / 10
  return { total, translated, missing, percentage: missing > 0 ? Math.min(share, 99.9) : 100 }
}
