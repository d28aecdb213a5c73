/** The most characters of a subject. */
const MAX_SUBJECT = 255
/** The most bytes of a body, in UTF-8. */
const MAX_BODY = 65_536
const ELLIPSIS = '…'

// What cannot stand in one line: controls of ASCII and Latin 1, and the separators of lines and paragraphs.
const CONTROLS = /[\p{Cc}\u2028\u2029]/gu

/** A subject that fits into one line: control characters are spaces, and what is too long ends in `…`. */
export function fitSubject(text: string): string {
  const line = clean(text).replace(CONTROLS, ' ')
  // Most are short: characters are counted only where they may be too many.
  if (line.length <= MAX_SUBJECT) return line
  const characters = Array.from(line)
  return characters.length <= MAX_SUBJECT ? line : characters.slice(0, MAX_SUBJECT - 1).join('') + ELLIPSIS
}

/** A body that fits into a message: what is too long ends in `…`. */
export function fitBody(text: string): string {
  const whole = clean(text)
  if (whole.length * 3 <= MAX_BODY) return whole
  const bytes = new TextEncoder().encode(whole)
  if (bytes.length <= MAX_BODY) return whole
  let end = MAX_BODY - new TextEncoder().encode(ELLIPSIS).length
  // A character of several bytes is left out whole: its further bytes begin with the bits 10.
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end -= 1
  return new TextDecoder().decode(bytes.subarray(0, end)) + ELLIPSIS
}

/** Texts as every store takes them. */
const clean = (text: string): string => text.toWellFormed().replaceAll('\0', ' ')
