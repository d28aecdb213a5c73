import { DomainsCapability, type FieldType, type Filter } from '@svc/domain/contract'
import { definePlugin } from '@svc/kernel'
import { columnAt, fragment, type Operator, StoreCapability, valueAt } from '@svc/store/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const inBox: Operator = {
  name: 'inBox',
  writings: [
    {
      needs: 'gist',
      sql: fragment`point(${columnAt(0)}, ${columnAt(1)}) <@ box(point(${valueAt(0)}, ${valueAt(1)}), point(${valueAt(2)}, ${valueAt(3)}))`,
    },
    {
      sql: fragment`${columnAt(0)} between ${valueAt(0)} and ${valueAt(2)} and ${columnAt(1)} between ${valueAt(1)} and ${valueAt(3)}`,
    },
  ],
}

const bbox: Filter = {
  description: 'Lies in this box: west,south,east,north',
  condition(text, { derived }) {
    const values = text.split(',').map(Number)
    if (values.length !== 4 || !values.every(Number.isFinite)) return 'takes west,south,east,north'
    return { op: 'custom', operator: inBox, columns: [derived['lon']!, derived['lat']!], values }
  },
}

const beacon: FieldType = {
  name: 'beacon',
  aliases: [],
  column: 'json',
  attributes: {},
  uses: [],
  operators: ['null'],
  sortable: false,
  searchable: false,
  readable: true,
  generated: false,
  compile: () => ({
    check: (value) => ({ value }),
    parseText: () => undefined,
    openapi: { type: 'object' },
    filters: { bbox },
    derived: {
      lon: { column: 'float', derive: (value) => Number(Object(value)['lon']) },
      lat: { column: 'float', derive: (value) => Number(Object(value)['lat']) },
    },
    indexes: {
      place: {
        derived: ['lon', 'lat'],
        writings: [{ needs: 'gist', sql: fragment`using gist (point(${columnAt(0)}, ${columnAt(1)}))` }],
      },
    },
  }),
}

const plugin = definePlugin({
  name: 'beacons',
  phase: 'domain',
  requires: { domains: DomainsCapability },
  setup: ({ domains }) => domains.fieldType(beacon),
})

const coast = (object: string, version: string) => `
domain:
  name: coast
  version: '${version}'
  resources:
    Light:
      features: { export: true }
      object: { name: string, ${object} }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
`
const LIGHTS = '/api/v1/coast/lights'

for (const store of STORES) {
  describe(`a field type with SQL of its own on ${store.name}`, () => {
    const server = useTestKernel({ store, plugins: [plugin], definition: coast('place: beacon', '1') })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, path, { token: server().admin, ...(body !== undefined && { body }) })
    const inside = async (box: string, field = 'place') => {
      const { body } = await send('GET', `${LIGHTS}?sort=name&filter[${field}][bbox]=${box}`)
      return body.data.items.map(({ name }: { name: string }) => name)
    }
    const indexes = async () => {
      const { tables } = await server().kernel.get(StoreCapability).catalog()
      return tables.find(({ name }) => name === 'coast_light')!.indexes.map(({ name }) => name)
    }

    beforeAll(async () => {
      for (const [name, lon, lat] of [
        ['Ar-Men', -5, 48],
        ['Fastnet', -9.6, 51.4],
        ['Nowhere', undefined, undefined],
      ] as const) {
        const place = lon === undefined ? null : { lon, lat }
        expect((await send('POST', LIGHTS, { name, place })).status).toBe(201)
      }
    })

    it('filters lists, counts and exports by it', async () => {
      expect(await inside('-10,40,0,60')).toEqual(['Ar-Men', 'Fastnet'])
      expect(await inside('-5,48,-5,48')).toEqual(['Ar-Men'])
      const { body } = await send('GET', `${LIGHTS}/count?filter[place][bbox]=-10,50,0,60`)
      expect(body.data.total).toBe(1)
      const { body: csv } = await send('GET', `${LIGHTS}/export?filter[place][bbox]=-10,50,0,60`)
      expect([String(csv).includes('Fastnet'), String(csv).includes('Ar-Men')]).toEqual([true, false])
      const refused = await send('GET', `${LIGHTS}?filter[place][bbox]=1`)
      expect([refused.status, refused.body.error_message]).toEqual([
        400,
        "'filter[place][bbox]' takes west,south,east,north",
      ])
    })

    it('has its index where the store can make it, which comes and goes with the field', async () => {
      const name = 'coast_light__place__place__idx'
      const can = server().kernel.get(StoreCapability).features.has('gist')
      expect((await indexes()).includes(name)).toBe(can)
      await server().submit(coast('spot: { type: beacon, renamedFrom: place }', '2'))
      expect(await inside('-10,50,0,60', 'spot')).toEqual(['Fastnet'])
      expect(await indexes()).not.toContain(name)
      expect((await indexes()).includes('coast_light__spot__place__idx')).toBe(can)
      await server().submit(coast('other: string', '3'), { allow_destructive: true })
      expect((await indexes()).filter((one) => one.includes('place'))).toEqual([])
    })
  })
}
