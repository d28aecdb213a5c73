import { textType } from './text-type.ts'

const NUMBER = /^(?:\+[1-9][0-9]{1,14}|[0-9]{3,15})$/

/** A telephone number: E.164, or national digits. */
export const phone = textType({
  name: 'phone',
  format: { sentence: 'format.phone', matches: (text) => NUMBER.test(text) },
  openapi: { pattern: NUMBER.source },
})
