import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, useTestKernel } from '../../kit/test-kernel.ts'
import { startSecond } from '../../kit/second-server.ts'
import { SHOP } from './shop.ts'

const GERMAN = `
locale: de
resources:
  Order:
    plural: Bestellungen
    fields: { total: Summe, title: { label: Betreff }, secret: Geheim }
    states: { open: Jetzt offen }
    transitions: { finish: { label: Fertig } }
enums:
  Status: { values: { done: Erledigt, open: { description: Noch zu tun } } }
  Size: { values: { small: Klein } }
history:
  Order: { priced: { label: 'Kostet {newValue}' } }
validation:
  messages:
    maxLength: '{label}: höchstens {limit} Zeichen'
    required: '{label} fehlt'
    Order:
      title: { required: 'Ohne Betreff geht es nicht ({field})' }
      dear: '{label}: zu teuer'
formats: { true: Ja, false: Nein }
`

/** A folder with a definition and locale files, which goes with the tests. */
function folderOf(definition: string, files: Readonly<Record<string, string | Buffer>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-locales-'))
  mkdirSync(join(folder, 'locales'))
  writeFileSync(join(folder, 'domain.yaml'), definition)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'locales', name), text)
  return folder
}

for (const store of STORES) {
  describe(`locale files on ${store.name}`, () => {
    const folder = folderOf(SHOP, { 'de.yaml': GERMAN, 'cy.yaml': 'resources: { Order: Archeb }' })
    afterAll(() => rmSync(folder, { recursive: true }))
    const server = useTestKernel({ store, config: { domain: { domain_file: join(folder, 'domain.yaml') } } })
    const schema = async (language: string, request = server().request) => {
      const { body } = await request('GET', '/api/v1/domains/shop/schema', {
        headers: { 'accept-language': language },
      })
      return body.data
    }
    const refusal = async (language: string, body: object) => {
      const answer = await server().request('POST', '/api/v1/shop/orders', {
        body,
        headers: { 'accept-language': language },
      })
      return answer.body.errors
    }

    it('L4 files beside the definition win over it, and bare text is a label', async () => {
      const { resources, enums } = await schema('de')
      const { Order } = resources
      expect([Order.label, Order.plural]).toEqual(['Bestellung', 'Bestellungen'])
      expect(['title', 'total', 'secret', 'status'].map((name) => Order.fields[name].label)).toEqual([
        'Betreff',
        'Summe',
        'Geheim',
        'status',
      ])
      expect(Order.stateMachine.transitions.finish.label).toBe('Fertig')
      expect(enums.Status.values).toMatchObject({
        open: { label: 'Offen', description: 'Noch zu tun' },
        done: { label: 'Erledigt' },
      })
      expect(enums.Size.values).toMatchObject({ small: { label: 'Klein' }, large: { label: 'large' } })
      expect(Order.history.events.priced.label).toBe('Kostet {newValue}')
      const welsh = await schema('cy')
      expect([welsh.resources.Order.label, welsh.resources.Order.plural]).toEqual(['Archeb', 'Bestellungen'])
    })

    it('L6 messages are the most specific that there are', async () => {
      expect(await refusal('de', {})).toEqual([
        { field: 'title', label: 'Betreff', message: 'Ohne Betreff geht es nicht (title)', rule: 'required' },
      ])
      expect(await refusal('de-AT', { title: 'x'.repeat(13) })).toEqual([
        { field: 'title', label: 'Betreff', message: 'Betreff: höchstens 12 Zeichen', rule: 'maxLength' },
      ])
      expect(await refusal('de', { title: 'Ring', total: 5000 })).toEqual([
        { field: 'total', label: 'Summe', message: 'Summe: zu teuer', rule: 'dear' },
      ])
      expect(await refusal('de', { title: 'Ring', total: 'much' })).toEqual([
        { field: 'total', label: 'Summe', message: 'must be a number', rule: 'type' },
      ])
    })

    it('L4 they are part of the checksum, and of what other servers take over', async () => {
      const { request, database, clock } = server()
      const { body } = await request('GET', '/api/v1/domains/shop')
      const other = await startTestKernel({ store, definition: SHOP })
      onTestFinished(() => other.stop())
      const plain = await other.request('GET', '/api/v1/domains/shop')
      expect(body.data.checksum).not.toBe(plain.body.data.checksum)
      const second = await startSecond(database, clock)
      onTestFinished(() => second.stop())
      const told = await schema('de', second.request)
      expect(told.resources.Order.fields.total.label).toBe('Summe')
    })

    it.each([
      [
        'a locale unlike its name',
        { 'de.yaml': 'locale: fr' },
        'is not what the file is called',
        'locales/de.yaml',
      ],
      ['a locale that is not supported', { 'fr.yaml': 'locale: fr' }, "'fr' is not supported", ''],
      ['a number for a text', { 'de.yaml': 'resources:\n  Order: 7' }, 'must be text', 'locales/de.yaml'],
      ['a list for a text', { 'de.yaml': 'resources: [Order]' }, 'must be', 'locales/de.yaml'],
      ['no map at all', { 'de.yaml': '- de' }, 'must be a map', 'locales/de.yaml'],
      ['another encoding', { 'de.yaml': Buffer.from([0x61, 0x3a, 0x20, 0xe4]) }, 'UTF-8', 'locales/de.yaml'],
      ['too many levels', { 'de.yaml': `resources: ${'{a: '.repeat(200)}1${'}'.repeat(200)}` }, 'deep', ''],
      [
        'other names than its source',
        { 'de.yaml': "history: { Order: { priced: { label: 'Kostet {neuerWert}' } } }" },
        'does not read the names',
        'locales/de.yaml',
      ],
      [
        'forms for number',
        { 'de.yaml': "resources: { Order: { plural: '{n, plural, one {x} other {y}}' } }" },
        'forms for number',
        'locales/de.yaml',
      ],
    ])('L4 %s is PARSE_ERROR', async (_, files, message, file) => {
      const bad = folderOf(SHOP, files)
      onTestFinished(() => rmSync(bad, { recursive: true }))
      const config = { domain: { domain_file: join(bad, 'domain.yaml') } }
      const error = await startTestKernel({ store, config }).catch((caught: unknown) => caught)
      const told = error instanceof Error ? JSON.stringify([error.message, error]) : ''
      expect(told).toContain(message)
      expect(told).toContain(file)
    })
  })
}

describe('a locale file that names nothing', () => {
  it('L4 is told with what was probably meant, and does no harm', async () => {
    const folder = folderOf(SHOP, {
      'de.yaml':
        'resources: { Ordre: Auftrag, Order: { fields: { totl: Summe } } }\nenumerations: { Status: Zustand }',
    })
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const config = { domain: { domain_file: join(folder, 'domain.yaml') } }
    const server = await startTestKernel({ store: STORES[0]!, config })
    onTestFinished(() => server.stop())
    const told = JSON.stringify(server.log.filter(({ level }) => level === 'warn'))
    expect(told).toContain("Did you mean 'resources.Order.fields.total.label'?")
    expect(told).toContain("Did you mean 'resources.Order.label'?")
    expect(told).toContain('enumerations')
    expect(told).toContain('localization.locales.de.resources.Ordre')
  })
})
