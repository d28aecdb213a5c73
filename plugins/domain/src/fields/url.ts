import { isUrl } from './is-url.ts'
import { textType } from './text-type.ts'

/** The parser would mend blanks, control characters and backslashes in silence. */
const SHAPE = /^https?:\/\/[^\s\\\p{Cc}]+$/iu

/** An absolute address of the web. */
export const url = textType({
  name: 'url',
  format: {
    sentence: 'format.url',
    matches: (text) => SHAPE.test(text) && isUrl(text),
  },
  openapi: { format: 'uri' },
})
