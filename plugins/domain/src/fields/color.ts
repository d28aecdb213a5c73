import { textType } from './text-type.ts'

const COLOR = /^#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$/

/** A colour in hexadecimal digits. */
export const color = textType({
  name: 'color',
  format: { sentence: 'format.color', matches: (text) => COLOR.test(text) },
  openapi: { pattern: COLOR.source },
})
