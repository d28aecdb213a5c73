import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

const sheet = (key: string) => `
    Sheet:
      mode: sheet
      computedFields: { ${key} }
      object:
        hours: { type: decimal, default: 2 }
        rate: { type: decimal, default: 10 }
        gross: { type: decimal, computed: net * 1.2 }
      computed:
        net: hours * rate
        label: { type: string, expression: "net > 50 ? 'large' : 'small'" }
      features: { audit: true, versioning: true }
      permissions: { list: [mechanic], get: [mechanic], create: [mechanic], update: [mechanic] }
`
const DEFINITION = (key: string, version = '1') =>
  `domain:\n  name: stand\n  version: '${version}'\n  resources:${sheet(key)}`

for (const store of STORES) {
  describe(`reactive sheets on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION('maxDepth: 9') })
    let mechanic: TestAccount
    const at = '/api/v1/stand/sheets'
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, path, { token: mechanic.token, ...(body !== undefined && { body }) })
    const found = async (query: string) =>
      (await send('GET', `${at}?${query}`)).body.data?.items?.map((one: any) => one.hours)
    beforeAll(async () => {
      mechanic = await server().account('mia', ['mechanic'])
    })

    it('11.1: keeps every computed field, of the records that are there too, and renews them with what they read', async () => {
      const first = (await send('POST', at, { hours: 1 })).body.data
      const content = DEFINITION('reactive: true, overridable: [net]', '2')
      const submitted = await server().request('POST', '/api/v1/domains', {
        token: server().admin,
        body: { content },
      })
      expect(submitted.status, JSON.stringify(submitted.body)).toBe(201)
      expect(await found('filter[gross]=12')).toEqual([1])
      const { id } = (await send('POST', at, { hours: 9 })).body.data
      await send('POST', at, { hours: 4 })
      expect(await found('sort=-gross')).toEqual([9, 4, 1])
      expect(await found('filter[label]=large')).toEqual([9])
      const changed = (await send('PATCH', `${at}/${id}`, { hours: 3 })).body.data
      expect(changed).toMatchObject({ net: 30, gross: 36, label: 'small' })
      expect(await found('sort=gross')).toEqual([1, 3, 4])
      const [entry] = (await send('GET', `${at}/${id}/audit`)).body.data.items
      expect(entry.changes).toMatchObject({
        gross: { from: 108, to: 36 },
        label: { from: 'large', to: 'small' },
      })
      const own = (await send('PATCH', `${at}/${first.id}`, { net_formula: 'rate * 100' })).body.data
      expect(own).toMatchObject({ net: 1000, gross: 1200, label: 'large' })
      expect(await found('filter[gross][gt]=1000')).toEqual([1])
    })

    it('11.1: `stored: false` is refused, and so is what reads other records', async () => {
      const faults = async (change: (definition: string) => string) => {
        const content = change(DEFINITION('reactive: true').replace('name: stand', 'name: trial'))
        const { body } = await server().request('POST', '/api/v1/domains/trial/preview', {
          token: server().admin,
          body: { content },
        })
        return body.errors?.map(({ path }: any) => path.replace('domain.resources.Sheet.', ''))
      }
      expect(await faults((text) => text)).toBe(undefined)
      expect(
        await faults((text) =>
          text.replace('net: hours * rate', 'net: { expression: hours * rate, stored: false }'),
        ),
      ).toEqual(['computed.net.stored'])
      const many = `relationships: { parts: { type: hasMany, target: Sheet, foreignKey: aboveId } }\n      features:`
      expect(
        await faults((text) =>
          text
            .replace('features:', many)
            .replace('object:', 'object:\n        aboveId: uuid')
            .replace('net: hours * rate', 'net: sum(parts, hours)'),
        ),
      ).toEqual(['computed.net'])
    })
  })
}
