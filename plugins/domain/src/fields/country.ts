import { COUNTRIES } from './reference/countries.ts'
import { textType } from './text-type.ts'

/** A country: an ISO 3166-1 alpha-2 code. */
export const country = textType({
  name: 'country',
  format: {
    sentence: 'format.country',
    matches: (text) => COUNTRIES.has(text),
  },
  openapi: { pattern: '^[A-Z]{2}$' },
})
