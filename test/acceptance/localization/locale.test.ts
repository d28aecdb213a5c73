import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { SHOP } from './shop.ts'

for (const store of STORES) {
  describe(`languages of a domain on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: SHOP })
    const inLanguage = (language?: string, method = 'GET', path = '/orders', body?: unknown) =>
      server().request(method, `/api/v1/shop${path}`, {
        ...(language !== undefined && { headers: { 'accept-language': language } }),
        ...(body !== undefined && { body }),
      })

    it.each([
      [undefined, 'en', 'en'],
      ['de', 'de', 'de'],
      ['de-CH', 'de-CH', 'de'],
      ['DE-at', 'DE-at', 'de-AT'],
      ['de-AT-1996', 'de-AT-1996', 'de-AT'],
      ['fr, cy;q=0.4, de;q=0.8', 'fr', 'de'],
      ['fr', 'fr', 'en'],
      ['*', 'en', 'en'],
      ['*, de', 'en', 'en'],
      ['de;q=0, *', 'en', 'en'],
      ['de;q=0, cy;q=0.1', 'cy', 'cy'],
      ['*;q=0', 'en', 'en'],
      ['de;q=9', 'en', 'en'],
      ['de;q=0.1234', 'en', 'en'],
      ['german_de', 'en', 'en'],
    ])('L2 %j is negotiated, and every answer says so', async (language, locale, localeResolved) => {
      const { body, headers } = await inLanguage(language)
      expect(body._meta).toEqual({ locale, localeResolved })
      expect(headers.get('content-language')).toBe(localeResolved)
      expect(headers.get('vary')).toContain('Accept-Language')
    })

    it('L2 a header of ten thousand entries is read as far as anybody reads', async () => {
      const many = Array.from({ length: 10_000 }, () => 'fr-de').join(', ')
      const { body } = await inLanguage(`cy, ${many}`)
      expect(body._meta).toEqual({ locale: 'cy', localeResolved: 'cy' })
    })

    it('L2 errors say it too, whoever refuses, and answers without an envelope by their headers', async () => {
      const refused = [
        await inLanguage('de', 'GET', '/orders/0192b5a4-7c1e-7def-8abc-0123456789ab'),
        await inLanguage('de', 'DELETE', '/orders/0192b5a4-7c1e-7def-8abc-0123456789ab'),
        await inLanguage('de', 'GET', '/localization/coverage'),
        await inLanguage('de', 'POST', '/orders', {}),
        await inLanguage('de', 'GET', '/orders?limit=many'),
      ]
      expect(refused.map(({ status }) => status)).toEqual([404, 401, 401, 422, 400])
      for (const { body, headers } of refused) {
        expect(body._meta).toEqual({ locale: 'de', localeResolved: 'de' })
        expect(headers.get('content-language')).toBe('de')
      }
      const made = await inLanguage('de', 'POST', '/orders', { title: 'Nails', total: 10 })
      expect(made.body._meta).toEqual({ locale: 'de', localeResolved: 'de' })
      const kept = await server().request('GET', `/api/v1/shop/orders/${made.body.data.id}`, {
        headers: { 'accept-language': 'cy', 'if-none-match': made.headers.get('etag') ?? '' },
      })
      expect([kept.status, kept.headers.get('content-language'), kept.headers.get('vary')]).toEqual([
        304,
        'cy',
        expect.stringContaining('Accept-Language'),
      ])
    })

    it('L3 a text is looked for in the locale, its base, the chain, the default, and then anywhere', async () => {
      const label = async (language: string) => {
        const { body } = await server().request('GET', '/api/v1/domains/shop/schema', {
          headers: { 'accept-language': language },
        })
        const { resources, enums } = body.data
        return [
          resources.Order.label,
          resources.Order.fields.title.label,
          resources.Order.fields.total.label,
          enums.Status.values.open.label,
          enums.Size.values.small.label,
        ]
      }
      expect(await label('en')).toEqual(['Order', 'Title', 'Total', 'Open', 'small'])
      expect(await label('de')).toEqual(['Bestellung', 'Titel', 'Total', 'Offen', 'small'])
      expect(await label('de-AT')).toEqual(['Auftrag', 'Titel', 'Total', 'Offen', 'small'])
      expect(await label('cy')).toEqual(['Bestellung', 'Titel', 'Total', 'Offen', 'small'])
    })

    it('L6 messages have the label, and the words of the reader', async () => {
      const refusal = async (language: string) => {
        const { body } = await inLanguage(language, 'POST', '/orders', { title: 'x'.repeat(20), total: 2000 })
        return body.errors
      }
      expect(await refusal('en')).toEqual([
        { field: 'title', label: 'Title', message: 'must be at most 12 characters long', rule: 'maxLength' },
      ])
      const { body } = await inLanguage('de', 'POST', '/orders', { title: 'Gold', total: 2000 })
      expect(body.errors).toEqual([
        { field: 'total', label: 'Total', message: 'Total ist teuer', rule: 'dear' },
      ])
      expect(body.error_message).toMatch(/^[ -~]*$/)
    })

    it('L8 the schema tells the languages, for the one that it is in', async () => {
      const said = async (language: string) => {
        const { body } = await server().request('GET', '/api/v1/domains/shop/schema', {
          headers: { 'accept-language': language },
        })
        return body.data.localization
      }
      expect(await said('de-AT')).toEqual({
        defaultLocale: 'en',
        supportedLocales: ['en', 'de', 'de-AT', 'cy', 'ar'],
        locale: 'de-AT',
        textDirection: 'ltr',
        dateFormat: 'dd.MM.yyyy',
        numberFormat: { thousands: '.', decimal: ',', currencySymbol: '£', currencyPosition: 'after' },
        timezone: 'Europe/London',
      })
      expect(await said('ar')).toMatchObject({ locale: 'ar', textDirection: 'rtl' })
    })

    it('L9 values are written by the marks of the locale', async () => {
      const warned = async (language: string) => {
        const { body } = await inLanguage(language, 'POST', '/orders', { title: 'Pin', total: 1.5 })
        return body.warnings[0].message
      }
      expect(await warned('en')).toBe('Pin costs £1.50')
      expect(await warned('de')).toBe('Pin kostet 1,50\u00a0£')
    })

    it('L8 the OpenAPI document is in the default locale', async () => {
      const { body } = await server().request('GET', '/api/v1/openapi.json', {
        headers: { 'accept-language': 'de' },
      })
      expect(JSON.stringify(body)).not.toContain('Bestellung')
    })
  })
}
