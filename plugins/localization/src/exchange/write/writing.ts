import type { Entry } from '../entries.ts'

/** What is written for translators. */
export interface Writing {
  readonly domain: string
  readonly defaultLocale: string
  readonly locale: string
  readonly entries: readonly Entry[]
}
