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

/** Whether a key has a text in a locale, or in its base. */
export const isTranslated = (key: string, locale: string, { own }: Pick<Catalogue, 'own'>): boolean =>
  fallbacks(locale).some((tag) => own(key, tag) !== undefined)

export function coverageOf(keys: readonly string[], locale: string, catalogue: Catalogue): Coverage {
  const total = keys.length
  const translated = keys.filter((key) => isTranslated(key, locale, catalogue)).length
  const missing = total - translated
  const share = Math.round((translated / total) * 1000) / 10
  return { total, translated, missing, percentage: missing > 0 ? Math.min(share, 99.9) : 100 }
}
