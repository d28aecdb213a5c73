import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const shop = (localization: string, more = '') => `
domain:
  name: shop
  version: '1'
  localization: ${localization}
  resources:
    Order:
      object: { title: string }
      permissions: { list: ['*'] }
${more}`

for (const store of STORES) {
  describe(`what is written of languages on ${store.name}`, () => {
    const server = useTestKernel({ store })
    const submit = (content: string) =>
      server().request('POST', '/api/v1/domains', { token: server().admin, body: { content } })

    it.each([
      ['a malformed tag', '{ defaultLocale: en_US }', 'language tag'],
      ['a malformed tag in the list', "{ supportedLocales: [en, 'd'] }", 'language tag'],
      ['a path for a tag', "{ supportedLocales: [en, '../../x'] }", 'language tag'],
      [
        'a default that is not supported',
        '{ defaultLocale: de, supportedLocales: [en] }',
        "'de' is not supported",
      ],
      ['a chain that is not supported', '{ fallbackChain: [fr] }', "'fr' is not supported"],
      ['a date format of another locale', '{ dateFormat: { fr: dd/MM/yyyy } }', "'fr' is not supported"],
      [
        'a number format of another locale',
        "{ numberFormat: { fr: { decimal: ',' } } }",
        "'fr' is not supported",
      ],
      ['a direction of another locale', '{ textDirection: { fr: ltr } }', "'fr' is not supported"],
      ['a direction that there is not', '{ textDirection: { en: up } }', 'ltr'],
      ['an unreadable pattern', '{ dateFormat: { en: dd/JJ/yyyy } }', 'date pattern'],
      ['equal marks', "{ numberFormat: { en: { thousands: '.', decimal: '.' } } }", 'thousands'],
      ['a mark that equals that of the language', "{ numberFormat: { en: { decimal: ',' } } }", 'thousands'],
      ['a longer mark', "{ numberFormat: { en: { decimal: '::' } } }", 'one character'],
      ['a longer mark of thousands', "{ numberFormat: { en: { thousands: ', ' } } }", 'one character'],
    ])('L1 %s is PARSE_ERROR, at its line', async (_, localization, message) => {
      const { status, body } = await submit(shop(localization))
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(JSON.stringify(body)).toContain(message)
      expect(body.errors[0].line).toBe(5)
    })

    it('L1 a key that nobody knows is a warning, that of locale files too', async () => {
      const { status, body } = await submit(
        shop('{ suportedLocales: [en], locales: { de: { resources: {} } } }'),
      )
      expect(status).toBe(201)
      const told = JSON.stringify(body)
      expect(told).toContain("Did you mean 'supportedLocales'?")
      expect(told).toContain('locales/<locale>.yaml')
    })

    it('L1 without the key nothing of it is there', async () => {
      const { status } = await submit(`
domain:
  name: plain
  version: '1'
  resources: { Note: { object: { title: string }, permissions: { list: ['*'] } } }
`)
      expect(status).toBe(201)
      const { request, admin } = server()
      const asked = await request('GET', '/api/v1/plain/localization/coverage', { token: admin })
      expect(asked.status).toBe(404)
      const { body, headers } = await request('GET', '/api/v1/plain/notes')
      expect([body._meta, headers.get('content-language')]).toEqual([undefined, null])
    })

    it('F2 a resource at the path of the key is PARSE_ERROR, with a way out', async () => {
      const { status, body } = await submit(`
domain:
  name: words
  version: '1'
  localization: {}
  resources: { Localization: { object: { title: string }, api: { collection: localization } } }
`)
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(JSON.stringify(body)).toContain('/localization')
    })

    it('L14 forms for number are PARSE_ERROR', async () => {
      const label = "{ label: '{count, plural, one {order} other {orders}}' }"
      const { status, body } = await submit(`
domain:
  name: plurals
  version: '1'
  localization: {}
  resources: { Order: { object: { title: ${label.replace('{ ', '{ type: string, ')} } } }
`)
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(JSON.stringify(body)).toContain('resources.Order.fields.title.label')
    })

    it.each([
      '{constructor} {__proto__} {toString}',
      '{#each',
      '{#if x}{/each}',
      '${HOME',
      '{{',
      '\u202e{x}',
    ])('L14 a label is text, whatever stands in it: %j', async (label) => {
      const { status } = await submit(`
domain:
  name: odd
  version: '1'
  localization: { supportedLocales: [en, de] }
  resources: { Order: { object: { title: { type: string, label: ${JSON.stringify(label)} } } } }
`)
      expect(status).toBe(201)
      const { body } = await server().request('GET', '/api/v1/domains/odd/schema', {
        headers: { 'accept-language': 'de' },
      })
      expect(body.data.resources.Order.fields.title.label).toBe(label)
    })
  })
}
