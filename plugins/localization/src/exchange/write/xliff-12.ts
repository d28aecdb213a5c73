import type { Writing } from './writing.ts'
import { attributeXml, isWritable, textXml, writable } from './xml.ts'

/** Writes the texts of a locale as XLIFF 1.2 (OASIS). What XML cannot write is left to other formats: it has no target. */
export function writeXliff12({ domain, defaultLocale, locale, entries }: Writing): string {
  const units = entries.map(({ key, context, source, text = '' }) =>
    [
      `      <trans-unit id="${attributeXml(writable(key))}" xml:space="preserve">`,
      `        <source>${textXml(writable(source))}</source>`,
      ...(isWritable(text) ? [`        <target>${textXml(text)}</target>`] : []),
      `        <note>${textXml(writable(context))}</note>`,
      '      </trans-unit>',
    ].join('\n'),
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
  <file original="${attributeXml(domain)}" source-language="${attributeXml(defaultLocale)}" target-language="${attributeXml(locale)}" datatype="plaintext">
    <body>
${units.join('\n')}
    </body>
  </file>
</xliff>
`
}
