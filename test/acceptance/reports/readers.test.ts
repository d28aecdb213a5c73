import { HttpServerCapability } from '@svc/rest/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { linesOf } from '../../kit/pdf.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

/** More than a report has groups. */
const LOTS = 5001
const BULK = 1000

const MINE = `
domain:
  name: mine
  version: '1'
  config: { currency: EUR, timezone: Europe/Berlin }
  localization:
    supportedLocales: [en, de, ar]
    dateFormat: { de: d. MMMM yyyy }
    numberFormat: { de: { thousands: '.', decimal: ',', currencyPosition: after } }
  resources:
    Shaft:
      object: { name: string }
      permissions: { list: [boss], get: [boss], create: [boss] }
    Load:
      object:
        name: { type: string, label: { en: Load, de: Ladung } }
        worth: { type: money, label: { en: Worth, de: Wert } }
        on: { type: date }
        secret: integer
        shaftId: uuid
      relationships: { shaft: { type: belongsTo, target: Shaft } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], fields: { secret: { read: [boss] } } }
    Lot: { object: { number: integer }, permissions: { list: ['*'], create: ['*'] } }
  views:
    loads: { source: Load, permissions: [boss], sort: name, columns: [name, worth, on, secret, shaft.name] }
    lots: { source: Lot, columns: [number], sort: number }
  reports:
    sums:
      permissions: ['*']
      label: { en: Sums, de: Summen }
      header: { en: 'From {least | money}', de: 'Ab {least | money}' }
      parameters: [{ name: least, type: money, default: 1000 }]
      sections:
        - { title: { en: Head, de: Kopf }, metrics: [{ label: { en: Worth, de: Wert }, value: sum(Load.worth) }, { label: Hidden, value: max(Load.secret) }] }
        - { title: Closed, table: { view: loads, groupBy: shaft.name } }
        - { title: Read, table: { view: loads, filter: secret > 0 } }
        - { title: Named, table: { view: loads, totals: { worth: sum, secret: sum, name: count }, filter: worth >= least } }
        - { title: None, table: { view: loads, limit: 0, totals: { on: max } } }
    lots: { permissions: ['*'], sections: [{ table: { view: lots, groupBy: number, limit: 5000 } }, { table: { view: lots, limit: 5000 } }] }
    whole:
      permissions: ['*']
      parameters: [{ name: who, default: user.id }, { name: when, type: date, optional: true }]
      sections: [{ metrics: [{ label: x, value: "count(Load, name == who or on == when)" }] }]
`

for (const store of STORES) {
  describe(`readers of reports on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: MINE, config: { domain: { bulk_limit: BULK } } })
    let boss = ''
    beforeAll(async () => {
      boss = (await server().account('bob', ['boss'])).token
      const { request } = server()
      const shaft = await request('POST', '/api/v1/mine/shafts', { token: boss, body: { name: 'Deep' } })
      const loads = [
        { name: 'a', worth: 1234.5, on: '2026-03-01', secret: 1, shaftId: shaft.body.data.id },
        { name: 'b', worth: 2, on: '2026-02-01', secret: 2 },
      ]
      for (const body of loads)
        expect((await request('POST', '/api/v1/mine/loads', { token: boss, body })).status).toBe(201)
    })
    const ask = async (path: string, token?: string, language = 'en') =>
      server().request('GET', `/api/v1/mine/reports/${path}`, {
        ...(token !== undefined && { token }),
        headers: { 'accept-language': language },
      })
    const pdf = async (path: string, language: string) => {
      const http = server().kernel.get(HttpServerCapability)
      const headers = { 'accept-language': language }
      return http.fetch(new Request(new URL(`/api/v1/mine/reports/${path}`, http.url()), { headers }))
    }

    it('F4 F5 R5 a section over what the reader may not read is forbidden alone, and shows no view by its own door', async () => {
      const { status, body } = await ask('sums')
      expect(status).toBe(200)
      const [head, closed, read, named, none] = body.data.sections
      expect(head.metrics.map(({ value, forbidden }: any) => [value, forbidden])).toEqual([
        [1236.5, undefined],
        [null, true],
      ])
      expect(closed).toEqual({ type: 'table', title: 'Closed', view: 'loads', forbidden: true })
      expect(read).toEqual({ type: 'table', title: 'Read', view: 'loads', forbidden: true })
      expect(named.columns.map(({ name }: any) => name)).toEqual(['name', 'worth', 'on', 'shaft.name'])
      expect(named).toMatchObject({ totals: { worth: 1234.5, name: 1 }, totalCount: 1, truncated: false })
      expect(named.totals).not.toHaveProperty('secret')
      expect(none).toMatchObject({
        items: [],
        count: 0,
        totalCount: 2,
        totals: { on: '2026-03-01' },
        truncated: true,
      })
      const whole = (await ask('sums', boss)).body.data.sections
      expect(whole[0].metrics[1].value).toBe(2)
      expect(whole[1].groups.map(({ value, count }: any) => [value, count])).toEqual([
        [null, 1],
        ['Deep', 1],
      ])
    })

    it('R7 F5 in CSV a forbidden section is its title alone, a forbidden metric empty', async () => {
      expect((await ask('sums?format=csv')).body.split('\r\n\r\n')).toEqual([
        'Worth,1236.5\r\nHidden,',
        'Closed',
        'Read',
        'Load,Worth,on,shaft.name\r\na,1234.5,2026-03-01,\r\n1,1234.5,,',
        'Load,Worth,on,shaft.name\r\na,1234.5,2026-03-01,\r\nb,2,2026-02-01,\r\n,,2026-03-01,\r\n',
      ])
      expect((await ask('sums?format=csv&section=2')).body).toBe('Closed\r\n')
      expect((await ask('sums?format=csv&section=2', boss)).body).toMatch(/^shaft.name,Load/)
    })

    it('F11 R6 R8 labels and texts are in the language of the reader', async () => {
      const { data } = (await ask('sums', undefined, 'de')).body
      expect([data.label, data.header, data.sections[0].title]).toEqual([
        'Summen',
        'Ab 1.000,00\u00a0€',
        'Kopf',
      ])
      expect(data.sections[0].metrics[0]).toMatchObject({ label: 'Wert', text: '1.236,50\u00a0€' })
      const csv = (await ask('sums?format=csv&section=4', undefined, 'de')).body
      expect(csv).toMatch(/^Ladung,Wert,on,shaft.name\r\na,1234.5,2026-03-01,/)
      const german = new Uint8Array(await (await pdf('sums?format=pdf', 'de')).arrayBuffer())
      const text = (await linesOf(german)).join(' ')
      for (const shown of ['Summen', 'Kopf', '1.236,50 €', '1. März 2026', 'Closed', '… 2 more'])
        expect(text).toContain(shown)
      expect(text).not.toContain('Deep')
    })

    it('R8 while too many files are being made the answer is 503 with Retry-After', async () => {
      const http = server().kernel.get(HttpServerCapability)
      const all = await Promise.all(Array.from({ length: 150 }, () => pdf('sums?format=pdf', 'en')))
      const codes = all.map(({ status }) => status)
      expect(new Set(codes)).toEqual(new Set([200, 503]))
      const refused = all.find(({ status }) => status === 503)!
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await refused.json()).toMatchObject({ status: 'error', error_code: 'UNAVAILABLE' })
      expect((await http.fetch(new Request(new URL('/health', http.url())))).status).toBe(200)
    })

    it('R5 R6 groups beyond 5000 are cut off, totals count all', async () => {
      for (let at = 0; at < LOTS; at += BULK) {
        const items = Array.from({ length: Math.min(BULK, LOTS - at) }, (_, more) => ({ number: at + more }))
        const { status } = await server().request('POST', '/api/v1/mine/lots/bulk', { body: { items } })
        expect(status).toBe(201)
      }
      const [grouped, plain] = (await ask('lots')).body.data.sections
      expect(grouped).toMatchObject({ count: 5000, totalCount: LOTS, truncated: true })
      expect(grouped.groups).toHaveLength(5000)
      expect(grouped.groups.at(-1)).toMatchObject({ value: 4999, count: 1, items: [{ number: 4999 }] })
      expect(plain).toMatchObject({ count: 5000, totalCount: LOTS, truncated: true })
      expect((await ask('lots?format=csv&section=1')).body.split('\r\n')).toHaveLength(LOTS + 2)
    })

    it('R2 R3 a default of a text is a literal; of a repeated parameter the last counts', async () => {
      const { data } = (await ask('whole')).body
      expect(data.parameters).toEqual({ who: 'user.id', when: null })
      const twice = (await ask('whole?who=a&who=b&when=2026-03-01')).body.data
      expect([twice.parameters, twice.sections[0].metrics[0].value]).toEqual([
        { who: 'b', when: '2026-03-01' },
        2,
      ])
    })
  })
}
