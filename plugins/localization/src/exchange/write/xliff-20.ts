import type { Writing } from './writing.ts'
import { attributeXml, replaceUnwritable, textXml, writable } from './xml.ts'

/** Names of units have no room for some characters of keys: such a key stands as `name`, beside an id of its own. */
const NMTOKEN = /^[-.:\w\u00b7\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u037d\u037f-\u1fff]+$/

/** Writes the texts of a locale as XLIFF 2.0 (OASIS). */
export function writeXliff20({ domain, defaultLocale, locale, entries }: Writing): string {
  const units = entries.map(({ key, context, source, text }, at) =>
    [
      `    <unit ${NMTOKEN.test(key) ? `id="${key}"` : `id="unit-${at + 1}" name="${attributeXml(writable(key))}"`}>`,
      `      <notes><note>${textXml(writable(context))}</note></notes>`,
      `      <segment${text === undefined ? '' : ' state="translated"'}>`,
      `        <source xml:space="preserve">${contentXml(source)}</source>`,
      `        <target xml:space="preserve">${contentXml(text ?? '')}</target>`,
      '      </segment>',
      '    </unit>',
    ].join('\n'),
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="${attributeXml(defaultLocale)}" trgLang="${attributeXml(locale)}">
  <file id="${attributeXml(domain)}">
${units.join('\n')}
  </file>
</xliff>
`
}

/** What XML cannot write stands as the number of its character. */
const contentXml = (text: string): string =>
  replaceUnwritable(
    textXml(text),
    (code) => `<cp hex="${code.toString(16).toUpperCase().padStart(4, '0')}"/>`,
  )
