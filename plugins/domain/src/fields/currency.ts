import { CURRENCIES } from '@svc/expression/contract'
import { textType } from './text-type.ts'

/** A currency: an ISO 4217 code. */
export const currency = textType({
  name: 'currency',
  format: {
    sentence: 'format.currency',
    matches: (text) => CURRENCIES.has(text),
  },
  openapi: { pattern: '^[A-Z]{3}$' },
})
