import { textType } from './text-type.ts'

/** Longer first parts are reserved: 'english' is well formed and means nothing. RFC 5646 bounds no tag; 35 is its advice. */
const SHAPE = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$/
const LONGEST = 35

function isTag(text: string): boolean {
  if (text.length > LONGEST || !SHAPE.test(text)) return false
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}

/** A language: a BCP 47 tag, kept as written. */
export const language = textType({
  name: 'language',
  format: { sentence: 'format.language', matches: isTag },
})
