import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { SHOP } from './shop.ts'
import { sendFile } from './translators.ts'

const KEY = 'resources.Order.fields.total.label'
const xliff = (units: string, attributes = 'source-language="en" target-language="de"') =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">\n<file original="shop" ${attributes} datatype="plaintext"><body>${units}</body></file></xliff>`
const unit = (target: string) => `<trans-unit id="${KEY}"><source>Total</source>${target}</trans-unit>`
const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${'bcdefghi'
  .split('')
  .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]}`).join()}]`)
  .join('\n')}`

/** What no translator sends: what is said of it, on which line. */
const BAD: readonly (readonly [what: string, file: string | Uint8Array, message: string, line: number])[] = [
  ['a document type', `<!DOCTYPE x>\n${xliff('').slice(39)}`, 'document type', 1],
  [
    'entities',
    `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n<xliff version="1.2"><file>&b;</file></xliff>`,
    'document type',
    1,
  ],
  ['an entity that nobody declared', xliff(unit('<target>&b;</target>')), 'not XML', 3],
  ['10,000 levels', `<xliff version="1.2">${'<g>'.repeat(10_000)}`, '100 deep', 1],
  ['10,000 levels inside of a text', xliff(unit(`<target>${'<g>'.repeat(10_000)}`)), '100 deep', 3],
  ['two targets', xliff(unit('<target>Summe</target>\n<target>Betrag</target>')), 'two targets', 4],
  [
    'targets in two languages',
    xliff('</body></file><file target-language="cy"><body>'),
    'more than one language',
    3,
  ],
  ['no language', xliff(unit('<target>Summe</target>'), 'source-language="en"'), 'which language', 3],
  ['another language', xliff('', 'target-language="fr"'), 'not supported', 1],
  ['XML that ends early', xliff(unit('<target>Summe')).slice(0, 240), 'not XML', 3],
  ['XML that is no XLIFF', '<html><body/></html>', 'no XLIFF', 1],
  ['another version', '<xliff version="1.1"/>', 'XLIFF 1.1 is not read', 1],
  ['another encoding', Buffer.from('locale: de\nresources: { Order: Auftr\xe4ge }', 'latin1'), 'UTF-8', 1],
  ['UTF-16', Buffer.from(`\ufeff${xliff('')}`, 'utf16le'), 'UTF-8', 1],
  ['XML that says another encoding', xliff('').replace('UTF-8', 'ISO-8859-1'), 'ISO-8859-1', 1],
  ['a bomb of YAML', `locale: de\n${bomb}`, '', 1],
  ['YAML of 10,000 levels', `locale: de\nresources: ${'{a: '.repeat(10_000)}`, '', 1],
  ['YAML with a key twice', 'locale: de\nenums: {}\nenums: {}', 'enums', 3],
  ['YAML with a number', 'locale: de\nresources: { Order: 7 }', 'must be text', 2],
  ['YAML with a list', 'locale: de\nresources:\n  Order: [a]', 'must be text', 3],
  ['YAML without a locale', 'resources: {}', 'does not name its locale', 1],
  ['YAML with a path for a locale', 'locale: ../../x', 'not supported', 1],
  ['a forbidden key', 'locale: de\nresources: { __proto__: { label: x } }', '__proto__', 2],
  ['nothing', '', '', 1],
  ['CSV with another header', 'key,context,en\r\n', 'first line', 1],
  ['CSV with an open quote', `key,context,en,de\r\n${KEY},,Total,"Summe`, 'not CSV', 2],
  ['CSV with too many cells', `key,context,en,de\r\n${KEY},,Total,Summe,more`, 'not CSV', 2],
  ['CSV of one endless cell', `key,context,en,de\r\n${KEY},,Total,"${'x'.repeat(1_000_000)}"`, 'not CSV', 2],
  [
    'CSV of more texts than an answer could name',
    `key,context,en,de\r\n${'a,,,b\r\n'.repeat(100_001)}`,
    'at most 100000 texts',
    100_002,
  ],
  [
    'XLIFF of more texts than an answer could name',
    xliff('<trans-unit id="a"><target/></trans-unit>'.repeat(100_001)),
    'at most 100000 texts',
    3,
  ],
  [
    'YAML of 150,001 values',
    `locale: de\nresources:\n${'  a: x\n'.repeat(150_001)}`,
    'more than 150000 values',
    1,
  ],
  ['YAML of aliases', `locale: de\nenums: &a { b: *a }`, '', 1],
  ['CSV of 60,000 cells', `key,context,en,de\r\n${'"",'.repeat(60_000)}`, 'not CSV', 2],
  [
    'XML with 50,000 attributes',
    `<xliff ${Array.from({ length: 50_000 }, (_, at) => `a${at}=""`).join(' ')}/>`,
    '',
    1,
  ],
  ['XML with the same attribute twice', xliff(unit('<target a="1" a="2">Summe</target>')), 'not XML', 3],
  ['XML that ends in another element', xliff(unit('<target>Summe</source>')), 'not XML', 3],
  ['XML with a character by a number that there is not', xliff(unit('<target>&#0;</target>')), 'not XML', 3],
  ['a unit without an id', xliff('<trans-unit><target>Summe</target></trans-unit>'), 'no id', 3],
  ['a surrogate by its number', xliff(unit('<target>&#xD800;</target>')), 'not XML', 3],
  ['a NUL', `key,context,en,de\r\n${KEY},,Total,Sum\0me`, 'NUL', 2],
]

for (const store of STORES) {
  describe(`files that cannot be read on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: SHOP })
    const send = (content: string | Uint8Array) => sendFile(server().request, server().admin, content)
    const coverage = async () => {
      const { request, admin } = server()
      return (await request('GET', '/api/v1/shop/localization/coverage', { token: admin })).body.data
    }

    it.each(BAD)(
      'L13 %s is VALIDATION_ERROR with its line, and nothing is written',
      async (_, file, message, line) => {
        const before = await coverage()
        const { status, body } = await send(file)
        expect([status, body.error_code]).toEqual([422, 'VALIDATION_ERROR'])
        expect(body.errors[0].message).toContain(message)
        if (message !== '') expect(body.errors[0].line).toBe(line)
        expect(await coverage()).toEqual(before)
      },
    )

    it('L13 a file of more than 5 MiB is too large, and one that is cut off half is no form', async () => {
      const large = `locale: de\n# ${'x'.repeat(5 * 1024 * 1024)}`
      expect((await send(large)).status).toBe(413)
      const huge = await send(Buffer.alloc(50 * 1024 * 1024, 'x'))
      expect(huge.status).toBe(413)
      const { request, admin } = server()
      const cut = await request('POST', '/api/v1/shop/localization/import', {
        token: admin,
        body: '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nlocale: de\nresources: { Order: Auf',
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
      })
      expect([cut.status, cut.body.error_code]).toEqual([400, 'BAD_REQUEST'])
      const none = await request('POST', '/api/v1/shop/localization/import', { token: admin, body: {} })
      expect(none.status).toBe(415)
    })

    it('L13 states of work that is not done are not taken, nor what is only suggested', async () => {
      const drafts = ['new', 'needs-translation', 'needs-review-translation']
      for (const state of drafts) {
        const { body } = await send(xliff(unit(`<target state="${state}">Summe</target>`)))
        expect(body.data).toMatchObject({ format: 'xliff', imported: 0, unchanged: 1 })
      }
      const suggested = await send(
        xliff(unit('<alt-trans><source>Total</source><target>Summe</target></alt-trans><note>Summe</note>')),
      )
      expect(suggested.body.data).toMatchObject({ imported: 0, unchanged: 0 })
      const initial = await send(
        `<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de"><file id="f"><unit id="${KEY}"><segment state="initial"><source>Total</source><target>Summe</target></segment></unit></file></xliff>`,
      )
      expect(initial.body.data).toMatchObject({ imported: 0, unchanged: 1 })
    })

    it('L13 a unit of XLIFF 2.0 is one text, whatever segments it has', async () => {
      const segments = (...parts: readonly string[]) =>
        send(
          `<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de"><file id="f"><unit id="${KEY}">${parts.join('')}</unit></file></xliff>`,
        )
      const kept = async () => {
        const { body } = await server().request('GET', '/api/v1/domains/shop/schema', {
          headers: { 'accept-language': 'de' },
        })
        return body.data.resources.Order.fields.total.label
      }
      const first = '<segment><source>Yes,</source><target>Ja,</target></segment>'
      const blank = '<ignorable><source> </source></ignorable>'
      const half = await segments(first, blank, '<segment><source>it is</source></segment>')
      expect(half.body.data).toMatchObject({ imported: 0, unchanged: 1 })
      const whole = await segments(
        first,
        blank,
        '<segment><source>it is</source><target>so ist es</target></segment>',
      )
      expect([whole.body.data.imported, await kept()]).toEqual([1, 'Ja, so ist es'])
      const turned = await segments(
        '<segment><source>Yes</source><target order="3">ist es</target></segment>',
        '<ignorable><source> </source><target order="2"> </target></ignorable>',
        '<segment><source>it is</source><target order="1">So</target></segment>',
      )
      expect([turned.body.data.imported, await kept()]).toEqual([1, 'So ist es'])
    })

    it('L13 markup that the source has not is told, and marks of tools are passed over', async () => {
      const { body } = await send(xliff(unit('<target>Sum<g id="1">me</g></target>')))
      expect(body.data.skipped).toEqual([{ key: KEY, reason: 'markup' }])
      const marked = await send(xliff(unit('<target>Sum<mrk mtype="seg">me</mrk></target>')))
      expect(marked.body.data).toMatchObject({ imported: 1, changedSource: [] })
      const { body: schema } = await server().request('GET', '/api/v1/domains/shop/schema', {
        headers: { 'accept-language': 'de' },
      })
      expect(schema.data.resources.Order.fields.total.label).toBe('Summe')
    })
  })
}
