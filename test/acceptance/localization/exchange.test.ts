import { beforeEach, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { SHOP } from './shop.ts'
import { exported, sendFile } from './translators.ts'

const TOTAL_LABEL = 'resources.Order.fields.total.label'

for (const store of STORES) {
  describe(`texts that come and go on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: SHOP })
    const get = async (path: string, token = server().admin) =>
      server().request('GET', `/api/v1/shop/localization${path}`, { token })
    const send = (content: string | Uint8Array, query = '') =>
      sendFile(server().request, server().admin, content, query)
    const label = async (language = 'de') => {
      const { body } = await server().request('GET', '/api/v1/domains/shop/schema', {
        headers: { 'accept-language': language },
      })
      return body.data.resources.Order.fields.total.label
    }
    beforeEach(async () => {
      const empty = (locale: string) => `key,context,en,${locale}\r\n${TOTAL_LABEL},,Total,\r\n`
      for (const locale of ['de', 'cy']) await send(empty(locale))
    })

    it('L10 coverage counts every text, and each locale on its own or by its base', async () => {
      const { status, body } = await get('/coverage')
      expect(status).toBe(200)
      const { defaultLocale, locales } = body.data
      expect([defaultLocale, Object.keys(locales)]).toEqual(['en', ['en', 'de', 'de-AT', 'cy', 'ar']])
      expect(locales.en).toEqual({
        total: locales.en.total,
        translated: locales.en.total,
        missing: 0,
        percentage: 100,
      })
      // Eighteen messages, two words, and the texts of the definition.
      expect(locales.en.total).toBe(18 + 2 + 15)
      const own = ['Zustand', 'Offen', 'Bestellung', 'Titel', 'teuer', 'Abschliessen', 'angelegt', 'kostet']
      expect(locales.de.translated).toBe(own.length)
      expect(locales['de-AT'].translated).toBe(own.length)
      expect(locales.cy).toEqual({ total: 35, translated: 0, missing: 35, percentage: 0 })
      expect(locales.de.percentage).toBe(22.9)
    })

    it('L11 missing texts are told with what they are about', async () => {
      const { body } = await get('/missing?locale=de')
      const { locale, items, count } = body.data
      expect([locale, count]).toEqual(['de', items.length])
      expect(items.map(({ key }: { key: string }) => key)).toEqual(
        items.map(({ key }: { key: string }) => key).toSorted(),
      )
      expect(items.find(({ key }: { key: string }) => key === TOTAL_LABEL)).toEqual({
        key: TOTAL_LABEL,
        defaultValue: 'Total',
        context: "Label of the field 'total' of Order",
      })
      expect(items.map(({ key }: { key: string }) => key)).toContain('validation.messages.required')
    })

    it.each([
      '/missing',
      '/missing?locale=fr',
      '/missing?locale=../../x',
      '/missing?locale=__proto__',
      '/export',
      '/export?locale=fr',
      '/export?locale=de&format=xls',
      '/export?locale=de&format=xliff&version=3',
      '/export?locale=%00',
    ])('L11 %s is INVALID_QUERY', async (path) => {
      const { status, body } = await get(path)
      expect([status, body.error_code]).toEqual([400, 'INVALID_QUERY'])
    })

    it('L1 they are for those whom the key names', async () => {
      const { account, request } = server()
      const { token } = await account('tom', ['translator'])
      const { token: other } = await account('ann', ['seller'])
      expect((await get('/coverage', token)).status).toBe(200)
      expect((await get('/coverage', other)).status).toBe(403)
      expect((await sendFile(request, other, 'locale: de')).status).toBe(403)
      expect((await request('GET', '/api/v1/shop/localization/export?locale=de')).status).toBe(401)
    })

    it.each([
      ['format=yaml', 'shop.cy.yaml', 'application/yaml'],
      ['', 'shop.cy.yaml', 'application/yaml'],
      ['format=csv', 'shop.cy.csv', 'text/csv; charset=utf-8'],
      ['format=xliff', 'shop.cy.xlf', 'application/xliff+xml'],
      ['format=xliff&version=2.0', 'shop.cy.xlf', 'application/xliff+xml'],
    ])('L12 an export of %j is an attachment with every key', async (query, filename, type) => {
      const { status, body, headers } = await get(`/export?locale=cy&${query}`)
      expect([status, headers.get('content-type')]).toEqual([200, type])
      expect(headers.get('content-disposition')).toBe(`attachment; filename="${filename}"`)
      expect(String(body)).toContain('cy')
    })

    it('L12 each form has its shape', async () => {
      const { request, admin } = server()
      const csv = await exported(request, admin, 'locale=de&format=csv')
      expect(csv.split('\r\n')[0]).toBe('key,context,en,de')
      expect(csv).toContain(`${TOTAL_LABEL},Label of the field 'total' of Order,Total,\r\n`)
      expect(csv).toContain('resources.Order.label,Name of Order,Order,Bestellung\r\n')
      const yaml = await exported(request, admin, 'locale=de')
      expect(yaml).toContain('locale: "de"\n')
      expect(yaml).toContain('      total:\n        label: null\n')
      const xliff = await exported(request, admin, 'locale=de&format=xliff')
      expect(xliff).toContain('<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">')
      expect(xliff).toContain('source-language="en" target-language="de"')
      expect(xliff).toContain('<trans-unit id="resources.Order.label" xml:space="preserve">')
      const second = await exported(request, admin, 'locale=de&format=xliff&version=2.0')
      expect(second).toContain('version="2.0" srcLang="en" trgLang="de"')
      expect(second).toContain('<unit id="resources.Order.label">')
    })

    it('L13 an import counts at once, and an empty text takes it away', async () => {
      expect(await label()).toBe('Total')
      const dry = await send('locale: de\nresources: { Order: { fields: { total: Summe } } }', '?dryRun=true')
      expect([dry.status, dry.body.data]).toEqual([
        200,
        {
          locale: 'de',
          format: 'yaml',
          imported: 1,
          unchanged: 0,
          removed: 0,
          skipped: [],
          changedSource: [],
        },
      ])
      expect(await label()).toBe('Total')
      const done = await send(
        'locale: de\nresources: { Order: { label: Bestellung, fields: { total: Summe } } }',
      )
      expect(done.body.data).toMatchObject({ imported: 1, unchanged: 1 })
      expect([await label(), await label('de-AT'), await label('en')]).toEqual(['Summe', 'Summe', 'Total'])
      const again = await send('locale: de\nresources: { Order: { fields: { total: Summe } } }')
      expect(again.body.data).toMatchObject({ imported: 0, unchanged: 1 })
      const gone = await send('locale: de\nresources: { Order: { label: null, fields: { total: null } } }')
      expect(gone.body.data).toMatchObject({ imported: 0, unchanged: 1, removed: 1 })
      expect(await label()).toBe('Total')
    })

    it('L13 what cannot be taken is told with its reason', async () => {
      const rows = [
        [TOTAL_LABEL, '', 'Total', 'Summe'],
        [TOTAL_LABEL, '', 'Total', 'Betrag'],
        ['resources.Order.fields.nothing.label', '', '', 'Nichts'],
        ['constructor', '', '', 'x'],
        ['history.Order.made.label', '', '', 'Ohne Namen'],
        ['history.Order.priced.label', '', '', 'Kostet {newValue} {previousValue}'],
        ['rules.cheap.message', '', '', '{titel} kostet {total | money}'],
        ['resources.Order.plural', '', '', '{n, plural, one {Bestellung} other {Bestellungen}}'],
        ['validation.messages.max', '', '', 'höchstens {limit} {stranger}'],
        ['resources.Order.label', '', 'Purchase', 'x'.repeat(10_001)],
        ['enums.Status.label', '', 'State', 'Lage'],
      ]
      const { body } = await send(
        `key,context,en,de\r\n${rows.map((row) => row.map((cell) => `"${cell}"`).join()).join('\r\n')}`,
      )
      expect(body.data).toMatchObject({ imported: 2, changedSource: ['enums.Status.label'] })
      expect(body.data.skipped).toEqual([
        { key: TOTAL_LABEL, reason: 'duplicate' },
        { key: 'resources.Order.fields.nothing.label', reason: 'unknownKey' },
        { key: 'constructor', reason: 'unknownKey' },
        { key: 'history.Order.made.label', reason: 'placeholders' },
        { key: 'history.Order.priced.label', reason: 'placeholders' },
        { key: 'rules.cheap.message', reason: 'placeholders' },
        { key: 'resources.Order.plural', reason: 'pluralSyntax' },
        { key: 'validation.messages.max', reason: 'placeholders' },
        { key: 'resources.Order.label', reason: 'tooLong' },
      ])
      expect(await label()).toBe('Summe')
      await send('key,context,en,de\r\nenums.Status.label,,Status,\r\n')
    })

    it('L14 texts with other pipes and loops may stand where they read the same names', async () => {
      const { body } = await send(
        `key,context,en,de\r\nrules.cheap.message,,,"Nur {total | decimal: 1}: {title | upper} {constructor"\r\n`,
      )
      expect(body.data.skipped).toEqual([{ key: 'rules.cheap.message', reason: 'placeholders' }])
      const taken = await send(
        `key,context,en,de\r\nrules.cheap.message,,,"Nur {total | decimal: 1}: {title | upper}"\r\n`,
      )
      expect(taken.body.data).toMatchObject({ imported: 1 })
      const made = await server().request('POST', '/api/v1/shop/orders', {
        body: { title: 'Pin', total: 1.5 },
        headers: { 'accept-language': 'de' },
      })
      expect(made.body.warnings[0].message).toBe('Nur 1,5: PIN')
      await send(`key,context,en,de\r\nrules.cheap.message,,,\r\n`)
    })

    it('2.9 an import is done once for each Idempotency-Key', async () => {
      const { request, admin } = server()
      const once = (content: string) =>
        sendFile(request, admin, content, '', 'shop', { 'idempotency-key': 'one' })
      const first = await once('locale: cy\nenums: { Status: Statws }')
      expect(first.body.data).toMatchObject({ imported: 1 })
      expect((await once('locale: cy\nenums: { Status: Statws }')).body.data).toMatchObject({ imported: 1 })
      expect((await once('locale: cy\nenums: { Status: Cyflwr }')).body.error_code).toBe(
        'IDEMPOTENCY_MISMATCH',
      )
      await send('locale: cy\nenums: { Status: null }')
    })

    it('L15 imports stay through a new definition, and those of keys that are gone are kept', async () => {
      await send('locale: cy\nresources: { Order: { fields: { total: Cyfanswm } } }')
      await server().submit(
        SHOP.replace('total: { type: money, min: 0, label: Total }', 'sum: money')
          .replace(/total/g, 'sum')
          .replace("version: '1'", "version: '2'"),
        { allow_destructive: true },
      )
      const { body } = await get('/coverage')
      expect(body.data.locales.cy.translated).toBe(0)
      await server().submit(SHOP.replace("version: '1'", "version: '3'"), { allow_destructive: true })
      expect(await label('cy')).toBe('Cyfanswm')
    })
  })
}
