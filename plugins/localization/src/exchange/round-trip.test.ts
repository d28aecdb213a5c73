import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTranslations } from './read/read.ts'
import { writeCsv } from './write/csv.ts'
import type { Writing } from './write/writing.ts'
import { writeXliff12 } from './write/xliff-12.ts'
import { writeXliff20 } from './write/xliff-20.ts'
import { isWritable } from './write/xml.ts'
import { writeYaml } from './write/yaml.ts'

/** What breaks readers and spreadsheets. */
const PIECES: readonly string[] = [
  "' '' \" = + - @ , ; # : - <b> &amp; ]]> <!-- {name} {{ \\ ~ null true 1e5 % | 😀 👩‍👩‍👧 é".split(' '),
  ['\t', '\r', '\n', '\r\n', ' ', '\u00a0', '\u202e', '\u200f', '\u0085', '\u2028', '\ufeff'],
  ['\u0001', '\u001f', '\ufffe'],
].flat()

/** Texts of people, and what breaks readers and spreadsheets. */
const text = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((parts) => parts.join('')),
  )
  .filter((one) => !one.includes('\0') && one.isWellFormed())

const step = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_ äß-]{0,9}$/)
const key = fc.array(step, { minLength: 2, maxLength: 5 }).map((steps) => steps.join('.'))

const writing: fc.Arbitrary<Writing> = fc
  .uniqueArray(fc.record({ key, context: text, source: text, text }), {
    selector: ({ key: one }) => one,
    maxLength: 12,
  })
  .map((entries) => ({
    domain: 'shop',
    defaultLocale: 'en',
    locale: 'de',
    entries: entries.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
  }))

const FORMS = { yaml: writeYaml, csv: writeCsv, 'XLIFF 1.2': writeXliff12, 'XLIFF 2.0': writeXliff20 }

describe('what is exported and comes back', () => {
  it.each(Object.entries(FORMS))('is the same text in %s', async (form, write) => {
    await fc.assert(
      fc.asyncProperty(writing, async (given) => {
        const read = await readTranslations(Buffer.from(write(given)))
        expect(read.locale).toBe('de')
        const texts = new Map(read.texts.map(({ key: one, text: said }) => [one, said]))
        for (const entry of given.entries) {
          // In XLIFF 1.2 such a text has no target, so that nothing comes of it.
          const isLeftOut = form === 'XLIFF 1.2' && !isWritable(entry.text ?? '')
          expect(texts.get(entry.key)).toBe(isLeftOut ? undefined : entry.text)
        }
        expect(texts.size).toBeLessThanOrEqual(given.entries.length)
      }),
      { numRuns: 300 },
    )
  })

  it.each(['csv', 'XLIFF 1.2', 'XLIFF 2.0'] as const)('has the same source in %s', async (form) => {
    await fc.assert(
      fc.asyncProperty(writing, async (given) => {
        const read = await readTranslations(Buffer.from(FORMS[form](given)))
        expect(read.sourceLocale).toBe('en')
        for (const { key: one, source } of read.texts) {
          const wanted = given.entries.find((entry) => entry.key === one)?.source ?? ''
          if (form !== 'XLIFF 1.2' || isWritable(wanted)) expect(source).toBe(wanted)
        }
      }),
      { numRuns: 200 },
    )
  })
})
