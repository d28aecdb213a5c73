import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writeXliff12 } from './write/xliff-12.ts'
import { writeXliff20 } from './write/xliff-20.ts'

/** A reader of both versions that is not ours; it has no types. */
const { xliff12ToJs, xliff2js } = createRequire(import.meta.url)('xliff')

const TEXTS = [
  "it's",
  '=1+1',
  '<b>fett</b> & "mehr"',
  ']]>',
  'eins\nzwei',
  '{name} – 😀 \u202eabc',
  '\u200fعربي',
  "''",
  '-',
]
const MARKS = ['&amp;', '<!--', '<g id="1">', '</target>', '%', '$&', 'ß']
const BLANKS = ['\t', '\r', '\r\n', '\u00a0', '\u2028', '\u0085', '\u007f']
const PIECES: readonly string[] = [...TEXTS, ...MARKS, ...BLANKS]

/** That reader leaves out blanks at the ends, and takes a text of nothing but blanks for none. */
const text = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 5 })
  .map((parts) => `a${parts.join('')}z`)

const writing = fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 8 }).map((pairs) => ({
  domain: 'shop',
  defaultLocale: 'en',
  locale: 'de',
  entries: pairs.map(([source, said], at) => ({
    key: `resources.Order.fields.f${at}.label`,
    context: `Label <${at}>`,
    source,
    text: said,
  })),
}))

describe('XLIFF, read by another reader', () => {
  it.each([
    ['1.2', writeXliff12, xliff12ToJs],
    ['2.0', writeXliff20, xliff2js],
  ] as const)('says the same in %s', async (_, write, read) => {
    await fc.assert(
      fc.asyncProperty(writing, async (given) => {
        const { sourceLanguage, targetLanguage, resources } = await read(write(given))
        expect([sourceLanguage, targetLanguage]).toEqual(['en', 'de'])
        expect(resources['shop']).toEqual(
          Object.fromEntries(
            given.entries.map(({ key, source, text: target }) => [
              key,
              expect.objectContaining({ source, target }),
            ]),
          ),
        )
      }),
      { numRuns: 200 },
    )
  })
})
