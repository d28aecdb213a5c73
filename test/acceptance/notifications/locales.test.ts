import { DomainsCapability, type Localizer, plainSpeaker } from '@svc/domain/contract'
import { definePlugin } from '@svc/kernel'
import { beforeEach, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { messages, STILL, tick } from './outbox.ts'

const template = (subject: string) => `{ subject: ${subject}, body: 'It costs {total}.' }`
const shop = (name = 'late', version = '1', subject = "{ en: 'Order {title}', de: 'Auftrag {title}' }") => `
domain:
  name: shop
  version: '${version}'
  resources:
    Order:
      object: { title: string, total: integer, contact: string }
      permissions: { list: ['*'], create: ['*'] }
  rules:
    ${name}:
      trigger: { resource: Order, on: create }
      condition: total > 10
      action: warn
      message: { en: 'Order {title} is dear' }
      notification:
        channels: [log, email]
        recipients: { field: contact }
        template: ${template(subject)}
`
const SUBJECT = 'notifications.templates.rules.late.subject'
const BODY = 'notifications.templates.rules.late.body'

for (const store of STORES) {
  describe(`texts of locale files on ${store.name}`, () => {
    /** What locale files say, by key and locale; a plugin reads them. */
    let files: Readonly<Record<string, Readonly<Record<string, string>>>> = {}
    const languages = definePlugin({
      name: 'languages',
      phase: 'domain',
      requires: { domains: DomainsCapability },
      setup: ({ domains }) =>
        domains.speak((domain): Localizer => {
          const german = { locale: 'de', localeResolved: 'de', chain: ['de', 'en'] }
          const plain = plainSpeaker(domain)
          return {
            ...plain,
            locale: (header) => (header === undefined ? german : plain.locale(header)),
            added: (key) => files[key],
          }
        }),
    })
    const server = useTestKernel({ store, without: ['localization'], plugins: [languages], config: STILL })
    beforeEach(() => {
      files = {}
    })
    const order = async (language = 'de') => {
      const { status, body } = await server().request('POST', '/api/v1/shop/orders', {
        body: { title: 'Nails', total: 12, contact: 'ada@example.org' },
        headers: { 'accept-language': language },
      })
      expect(status).toBe(201)
      return body
    }
    const told = async (id: string) =>
      (await messages(server(), `?recordId=${id}&channel=log`)).map(({ subject, body }) => [subject, body])

    it("N3: are taken in the domain's default locale, before those of the definition", async () => {
      files = {
        [SUBJECT]: { de: 'Bestellung {title}', en: 'Purchase {title}' },
        [BODY]: { en: 'wrong', de: 'Das kostet {total}.' },
      }
      await server().submit(shop())
      expect(await told((await order()).data.id)).toEqual([['Bestellung Nails', 'Das kostet 12.']])
      files = { [SUBJECT]: { fr: 'Commande {title}' } }
      expect(await told((await order('fr')).data.id)).toEqual([['Auftrag Nails', 'It costs 12.']])
    })

    it('N3: may change while the definition is in force, and be gone again', async () => {
      await server().submit(shop('late', '2'))
      const subject = async () => (await told((await order()).data.id))[0]![0]
      expect(await subject()).toBe('Auftrag Nails')
      files = { [SUBJECT]: { de: 'Eins {title}' } }
      expect(await subject()).toBe('Eins Nails')
      files = { [SUBJECT]: { de: 'Zwei {title | upper}' } }
      expect(await subject()).toBe('Zwei NAILS')
      files = {}
      expect(await subject()).toBe('Auftrag Nails')
    })

    it('N3: that name what nothing has are warned of, and passed over', async () => {
      files = { [SUBJECT]: { de: 'Bestellung {titel}' } }
      const { status, body } = await server().request('POST', '/api/v1/domains', {
        token: server().admin,
        body: { content: shop('late', '3') },
      })
      expect(status).toBe(201)
      expect(JSON.stringify(body.warnings)).toContain("a file of the locale 'de' that is of no use")
      expect(JSON.stringify(body.warnings)).toContain('titel')
      expect(await told((await order()).data.id)).toEqual([['Auftrag Nails', 'It costs 12.']])
    })

    it('N3: the name of an entry is the path by which they are found', async () => {
      await server().submit(shop('later', '4'))
      files = {
        [SUBJECT]: { de: 'wrong' },
        [SUBJECT.replace('rules.late', 'rules.later')]: { de: 'Später {title}' },
      }
      const { id } = (await order()).data
      const [entry] = await messages(server(), `?recordId=${id}&channel=log`)
      expect([entry!.name, entry!.subject]).toEqual(['rules.later', 'Später Nails'])
    })

    it('[L5] say the message of a rule in the language of its reader, and so does the log', async () => {
      files = { 'rules.late.message': { de: '{title} ist teuer', fr: '{title} est cher' } }
      await server().submit(shop('late', '5'))
      const said = async (language: string) => (await order(language)).warnings[0].message
      expect([await said('de'), await said('en')]).toEqual(['Nails ist teuer', 'Order Nails is dear'])
      const { body } = await server().request('GET', '/api/v1/shop/rules/log?limit=1', {
        token: server().admin,
        headers: { 'accept-language': 'de' },
      })
      expect(body.data.items[0].message).toBe('Nails ist teuer')
    })

    it('N3, A5: a message that waits is told as it was written, whatever becomes of its notification', async () => {
      const waiting = (id: string) => messages(server(), `?recordId=${id}&channel=email`)
      await server().submit(shop('late', '6'))
      const [renamed, rolledBack] = [(await order()).data.id, (await order()).data.id]
      await server().submit(shop('other', '7', "'Something else {title}'"))
      await tick(server())
      expect(await waiting(renamed)).toMatchObject([
        { name: 'rules.late', recipient: 'ada@example.org', subject: 'Auftrag Nails', body: 'It costs 12.' },
      ])
      expect(await waiting(rolledBack)).toMatchObject([{ subject: 'Auftrag Nails' }])
    })
  })
}
