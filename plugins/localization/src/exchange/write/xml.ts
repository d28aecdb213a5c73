/** What may be a character that XML 1.0 has no way to write (section 2.2). */
const SUSPECT = /\p{Cc}|[\ufffe\uffff]/gu

const isUnwritable = (code: number): boolean =>
  code >= 0xfffe || (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d)

/** A text with something else for each character that XML has no way to write. */
export const replaceUnwritable = (text: string, by: (code: number) => string): string =>
  text.replace(SUSPECT, (one) => (isUnwritable(one.charCodeAt(0)) ? by(one.charCodeAt(0)) : one))

export const isWritable = (text: string): boolean => replaceUnwritable(text, () => '') === text

/** A text without what XML cannot write, for eyes alone. */
export const writable = (text: string): string => replaceUnwritable(text, () => '\ufffd')

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** A text between tags; a return stays one. */
export const textXml = (text: string): string =>
  text.replace(/[&<>\r]/g, (one) => ENTITIES[one] ?? `&#${one.charCodeAt(0)};`)

/** The value of an attribute; line ends and tabs stay what they are. */
export const attributeXml = (text: string): string =>
  text.replace(/[&<>"\r\n\t]/g, (one) => ENTITIES[one] ?? `&#${one.charCodeAt(0)};`)
