import { createRequire } from 'node:module'
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
const entries = TEXTS.map((text, at) => ({
  key: `resources.Order.fields.f${at}.label`,
  context: `Label <${at}>`,
  source: `${text} en`,
  text,
}))
const given = { domain: 'shop', defaultLocale: 'en', locale: 'de', entries }
const wanted = Object.fromEntries(
  entries.map(({ key, source, text }) => [key, expect.objectContaining({ source, target: text })]),
)

describe('XLIFF, read by another reader', () => {
  it('says the same in 1.2', async () => {
    const { sourceLanguage, targetLanguage, resources } = await xliff12ToJs(writeXliff12(given))
    expect([sourceLanguage, targetLanguage]).toEqual(['en', 'de'])
    expect(resources['shop']).toEqual(wanted)
  })

  it('says the same in 2.0', async () => {
    const { sourceLanguage, targetLanguage, resources } = await xliff2js(writeXliff20(given))
    expect([sourceLanguage, targetLanguage]).toEqual(['en', 'de'])
    expect(resources['shop']).toEqual(wanted)
  })
})
