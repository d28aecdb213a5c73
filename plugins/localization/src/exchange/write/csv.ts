import { stringify } from 'csv-stringify/sync'
import { guarded } from '../guard.ts'
import type { Writing } from './writing.ts'

/** Writes the texts of a locale as CSV (RFC 4180): `key,context,<default>,<locale>`; a missing one is empty. */
export function writeCsv({ defaultLocale, locale, entries }: Writing): string {
  const lines = entries.map(({ key, context, source, text = '' }) =>
    [key, context, source, text].map(guarded),
  )
  return stringify([['key', 'context', defaultLocale, locale], ...lines], {
    record_delimiter: 'windows',
    quoted_match: /[\r\n]|^\s|\s$/,
  })
}
