import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { size } from '../../kit/size.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { exported, sendFile } from './translators.ts'

const ROUNDS = size('PROOF_ROUND_TRIPS', { smoke: 3, whole: 150 })
const FIELDS = 12

const DEFINITION = `
domain:
  name: words
  version: '1'
  localization: { supportedLocales: [en, de, ar] }
  resources:
    Word:
      object: { ${Array.from({ length: FIELDS }, (_, at) => `f${at}: { type: string, label: Label ${at} }`).join(', ')} }
      permissions: { list: ['*'] }
`

/** What breaks readers, spreadsheets and editors, and is text all the same. */
const PIECES: readonly string[] = [
  ['=', '+', '-', '@', "'", "''", '"', '""', '<b>', '</target>', '&amp;', '&', ']]>', '<!--', '-->', '<?x?>', '#', ': ', '- ', '|', '>', '%', '~', '!!x', '*a', '&a'],
  ['\t', '\r', '\n', '\r\n', ' ', '  ', '\u00a0', '\u200b', '\u202e', '\u200f', '\u061c', '\u2066', '\u0085', '\u2028', '\u2029', '\ufeff', '\\', '\\n', '\\u0041'],
  ['null', 'true', 'yes', '1e5', '0x1', '2026-03-01', '1_000', ',', ';', 'a', 'ß', 'مرحبا', 'שלום', '😀', '👩‍👩‍👧', 'e\u0301', '日本語', 'locale: fr'],
].flat() // prettier-ignore

const text = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'grapheme', maxLength: 5 })), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts) => parts.join('').replaceAll(/[{}\0]/g, ''))
  .filter((one) => one !== '' && one.isWellFormed())
const texts = fc.array(text, { minLength: FIELDS, maxLength: FIELDS })

const FORMS = ['format=yaml', 'format=csv', 'format=xliff', 'format=xliff&version=2.0'] as const

const rows = (some: readonly string[], locale: string): string =>
  `key,context,en,${locale}\r\n${some
    .map((one, at) => {
      // A cell that begins with ' loses it.
      const cell = /^['=@\t\r+-]/.test(one) ? `'${one}` : one
      return `resources.Word.fields.f${at}.label,,Label ${at},"${cell.replaceAll('"', '""')}"\r\n`
    })
    .join('')}`

/** A control character but tab and line ends, or what is no character (XML 1.0, section 2.2). */
const UNWRITABLE = /(?![\t\n\r])\p{Cc}(?<![\x7f-\x9f])|[\ufffe\uffff]/u

for (const store of STORES) {
  describe(`texts that leave and come back on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    const labels = async () => {
      const headers = { 'accept-language': 'de' }
      const { body } = await server().request('GET', '/api/v1/domains/words/schema', { headers })
      const { fields } = body.data.resources.Word
      return Array.from({ length: FIELDS }, (_, at): string => fields[`f${at}`].label)
    }
    const take = async (file: string) => {
      const { request, admin } = server()
      const { status, body } = await sendFile(request, admin, file, '', 'words')
      expect([status, body.errors]).toEqual([200, undefined])
      return body.data
    }
    const leave = (query: string) => exported(server().request, server().admin, query, 'words')

    it('L12 every form brings back every text as it was, and changes nothing where it still stands', async () => {
      const plain = Array.from({ length: FIELDS }, (_, at) => `Wort ${at}`)
      for (const given of fc.sample(texts, { numRuns: ROUNDS, seed: 8 })) {
        await take(rows(given, 'de'))
        expect(await labels()).toEqual(given)
        const files = new Map<string, string>()
        for (const form of FORMS) files.set(form, await leave(`locale=de&${form}`))
        for (const [form, file] of files) {
          expect([form, await take(file)]).toMatchObject([
            form,
            { imported: 0, removed: 0, skipped: [], changedSource: [] },
          ])
          await take(rows(plain, 'de'))
          await take(file)
          const written = given.map((one, at) =>
            // XML 1.0 has no way to write these: in 1.2 such a text has no target.
            form === 'format=xliff' && UNWRITABLE.test(one) ? plain[at] : one,
          )
          expect([form, await labels()]).toEqual([form, written])
          await take(rows(given, 'de'))
        }
        // What comes back is written as it was, byte for byte.
        for (const form of FORMS) expect(await leave(`locale=de&${form}`)).toBe(files.get(form))
      }
    })
  })
}
